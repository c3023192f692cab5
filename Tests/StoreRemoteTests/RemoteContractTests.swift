import Foundation
import StoreContract
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// A store elsewhere keeps every promise of a store.
@Suite("The whole contract over HTTP, which takes seconds", .fewAtATime, .server) struct RemoteContractTests {
    @Test func `A device elsewhere keeps every promise of a store`() async {
        let report = await StoreContract.check(.remote { $0.remote().asStoreBackend() })
        #expect(report.isKept, "\(report)")
        #expect(report.notTried == [.goesQuiet], "\(report)")
    }

    @Test func `It keeps them behind an injector that lets everything pass`() async {
        let report = await StoreContract.check(.remote { FaultInjector($0.remote().asStoreBackend()) })
        #expect(report.isKept, "\(report)")
    }

    @Test(arguments: 1...UInt64(rounds(1, thoroughly: 8)))
    func `It keeps them over a network that is slow and cuts connections`(seed: UInt64) async {
        let proxies = Locked<[FaultyProxy]>([])
        var subject = ContractSubject.remote { shop in
            // Each network has another seed: there are few connections on each.
            let number = proxies.withLock { UInt64($0.count) }
            let proxy = try FaultyProxy(to: shop.server.port, seed: seed << 32 | number) { random, _ in
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .isCut(after: .random(in: 1_000...20_000, using: &random))
                case 1: .isSlow(milliseconds: .random(in: 1...10, using: &random))
                default: .passes
                }
            }
            proxies.withLock { $0.append(proxy) }
            let remote = shop.remote(at: proxy.url)
            return Repeating(remote.asStoreBackend(), keeping: shop)
        }
        // The services that answer once are left out.
        subject.hasReceipts = false
        let report = await StoreContract.check(subject)
        for proxy in proxies.withLock({ $0 }) { proxy.stop() }
        #expect(proxies.withLock { $0.reduce(0) { $0 + $1.cuts } } > 0, "seed \(seed)")
        #expect(report.isKept, "seed \(seed): \(report)")
    }

    @Test func `It keeps them when a snapshot has many parts`() async {
        // A receipt of hundreds of consumables for each of them would take the test's time.
        var subject = ContractSubject.remote { $0.remote { $0.carriesReceipts = false }.asStoreBackend() }
        subject.hasReceipts = false
        subject.crowd = 260
        let report = await StoreContract.check(subject)
        #expect(report.isKept, "\(report)")
    }
}

/// Repeats what a network has lost, as an app does.
private final class Repeating: ForwardingBackend {
    let backend: any StoreBackend
    private let shop: RemoteShop

    init(_ backend: any StoreBackend, keeping shop: RemoteShop) { (self.backend, self.shop) = (backend, shop) }

    var lane: BackendLane { .background }

    /// Without the services that answer once: what is lost is the app's to ask again.
    var services: StoreServices {
        var services = backend.services
        services.history = nil
        services.receipts = nil
        return services
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        submit(commands, attempts: Self.mostAttempts, reply)
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) { look(for: identifiers, attempts: Self.mostAttempts, reply) }

    private static let mostAttempts = 20

    private func submit(
        _ commands: [StoreCommand],
        attempts: Int,
        _ reply: @escaping @Sendable (SubmissionReply) -> Void
    ) {
        backend.submit(commands) { [self] answer in
            guard case .tryLater = answer, attempts > 1 else { return reply(answer) }
            submit(commands, attempts: attempts - 1, reply)
        }
    }

    private func look(
        for identifiers: Set<String>,
        attempts: Int,
        _ reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers) { [self] answer in
            guard case .failure = answer, attempts > 1 else { return reply(answer) }
            look(for: identifiers, attempts: attempts - 1, reply)
        }
    }
}

extension ContractSubject {
    /// A store behind a server on this machine.
    ///
    /// Each opening has a server of its own; the token is that of the first, which the ledger knows.
    static func remote(_ wrap: @escaping @Sendable (RemoteShop) throws -> any StoreBackend) -> ContractSubject {
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
            let signer = HMACReceiptSigner()
            let shop = try RemoteShop(ledger: ledger, signer: signer)
            let shops = Locked([shop])
            return Store(
                try wrap(shop),
                reopen: {
                    let next = try RemoteShop(ledger: ledger, signer: signer, token: shop.token)
                    shops.withLock { $0.append(next) }
                    return try wrap(next)
                },
                approve: { try shop.store.decide($0, as: .approve) },
                refund: { try shop.store.refund($0) },
                revoke: { try shop.store.refund($0) },
                promote: { try shop.device.promote($0) },
                changeStorefront: { try shop.store.setStorefront("DEU") }
            )
        }
        subject.hasReceipts = true
        // A busy machine is waited for.
        subject.deadline = 600
        subject.pause = 0.02
        return subject
    }
}
