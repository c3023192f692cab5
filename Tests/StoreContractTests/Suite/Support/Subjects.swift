import Foundation
import StoreContract
import StoreCore

extension ContractSubject {
    /// The sandbox as it is, or as something stands before it and spoils what it says.
    ///
    /// Each store has a manual clock of its own unless one is given.
    static func sandbox(
        clock: (any StoreClock)? = nil,
        authorizer: Authorizer = .byProduct,
        _ wrap: @escaping @Sendable (SandboxStore) -> any StoreBackend = { $0 }
    ) -> ContractSubject {
        let products = Products(
            consumable: "sword",
            restorable: "castle",
            refused: "dragon",
            waiting: "gift",
            subscription: "pass",
            hosted: "scenery"
        )
        var subject = ContractSubject(products: products) {
            let ledger = MemoryLedger()
            let clock = clock ?? ManualClock()
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
                    clock: clock,
                    ledger: ledger,
                    authorizer: authorizer,
                    signer: signer
                )
            }
            let store = try open()
            return Store(
                wrap(store),
                reopen: { wrap(try open()) },
                approve: { try store.decide($0, as: .approve) },
                refund: { try store.refund($0) },
                revoke: { try store.refund($0) },
                promote: { try store.device.promote($0) },
                changeStorefront: { try store.setStorefront("DEU") }
            )
        }
        subject.hasReceipts = true
        return subject
    }
}

extension Authorizer {
    /// Declines the dragon, leaves the gift to somebody else, and sells the rest.
    static let byProduct = Authorizer { request in
        switch request.productIdentifier {
        case "dragon": .decline()
        case "gift": .askToBuy
        default: .approve
        }
    }
}
