#if canImport(CPostgres)
    import Foundation
    import StoreContract
    import StoreCore
    import StorePostgres
    import TestSupport
    import Testing

    /// A store in a database keeps every promise of a backend.
    @Suite(
        "The whole contract on a database server, which takes seconds",
        .postgres,
        .promptly,
        .timeLimit(.minutes(20))
    )
    struct ContractTests {
        @Test(arguments: [BackendLane.caller, .background])
        func `A store in a database keeps every promise`(lane: BackendLane) async throws {
            let report = await StoreContract.check(try subject(lane: lane))
            #expect(report.isKept, "\(report)")
            #expect(report.notTried == [.goesQuiet], "\(report)")
        }

        /// Describes stores with names of their own in one schema; one that is opened again has new connections.
        private func subject(lane: BackendLane) throws -> ContractSubject {
            let products = ContractSubject.Products(
                consumable: "sword",
                restorable: "castle",
                refused: "dragon",
                waiting: "gift",
                subscription: "pass",
                hosted: "scenery"
            )
            let place = try TestDatabase()
            let count = Locked(0)
            var subject = ContractSubject(products: products) {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let signer = HMACReceiptSigner()
                let open: @Sendable () throws -> SandboxStore = {
                    try SandboxStore(
                        products: [
                            .consumable("sword", price: "0.99"),
                            .nonConsumable("castle", price: "9.99"),
                            .consumable("dragon", price: "99.99"),
                            .consumable("gift", price: "4.99"),
                            .nonConsumable("scenery", price: "2.99").hosting(Data(0..<100)),
                            .autoRenewable("pass", price: "9.99", period: .init(1, .year), group: "passes"),
                        ],
                        clock: SystemClock.shared,
                        ledger: place.open().ledger("shop \(number)", lane: lane),
                        authorizer: Authorizer { request in
                            switch request.productIdentifier {
                            case "dragon": .decline()
                            case "gift": .askToBuy
                            default: .approve
                            }
                        },
                        signer: signer
                    )
                }
                let store = try open()
                return ContractSubject.Store(
                    store,
                    reopen: { try open() },
                    approve: { try store.decide($0, as: .approve) },
                    refund: { try store.refund($0) },
                    revoke: { try store.refund($0) },
                    promote: { try store.device.promote($0) },
                    changeStorefront: { try store.setStorefront("DEU") }
                )
            }
            subject.hasReceipts = true
            subject.deadline = 600
            return subject
        }
    }
#endif
