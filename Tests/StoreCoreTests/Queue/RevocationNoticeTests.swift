import Foundation
import StoreCore
import Testing

@Suite struct RevocationNoticeTests {
    /// Returns the products whose revocation the next launch's face is told of.
    private func relaunch(_ queue: SKPaymentQueue) -> [String] {
        let next = queue.relaunch()
        return next.face { Face(next) }.told
    }

    @Test func `A revocation on its way to the face is not acknowledged with the ones before it`() throws {
        let store = try SandboxStore(products: ["sword", "game"].map { .nonConsumable($0, price: "0.99") })
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        let queue = context.run { SKPaymentQueue.default() }
        let face = queue.face { Face(queue) }
        try store.refund(store.account.buy("sword"))
        #expect(face.told == ["sword"])
        // In the moment in which the next one arrives, a subscriber takes the first.
        face.passesOnEarlierNotices = true
        try store.refund(store.account.buy("game"))
        #expect(face.told == ["sword", "game"])
        #expect(relaunch(queue).contains("game"))
    }

    @Test func `Revocations are acknowledged once all of them are passed on`() throws {
        let store = try SandboxStore(products: ["sword", "game"].map { .nonConsumable($0, price: "0.99") })
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        let queue = context.run { SKPaymentQueue.default() }
        let face = queue.face { Face(queue) }
        for product in ["sword", "game"] { try store.refund(store.account.buy(product)) }
        face.passOn()
        #expect(relaunch(queue) == [])
    }
}

/// A face that keeps the revocations that it is told of.
private final class Face: NSObject, QueueFace {
    private struct State {
        var told: [String] = []
        var lastNotice = 0
        var passesOnEarlierNotices = false
    }

    private let state = Locked(State())
    private let queue: WeakQueue

    private struct WeakQueue: Sendable { weak let queue: SKPaymentQueue? }

    init(_ queue: SKPaymentQueue) { self.queue = WeakQueue(queue: queue) }

    var told: [String] { state.withLock { $0.told } }

    /// Whether it has passed on all earlier notices when it is told of one.
    var passesOnEarlierNotices: Bool {
        get { state.withLock { $0.passesOnEarlierNotices } }
        set { state.withLock { $0.passesOnEarlierNotices = newValue } }
    }

    func passOn() { queue.queue?.acknowledgeRevocations(through: state.withLock { $0.lastNotice }) }

    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int) {
        if passesOnEarlierNotices { passOn() }
        state.withLock { state in
            state.told += productIdentifiers
            state.lastNotice = notice
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
    func queueEnded() {}
    func storeChanged(from former: FormerStore) {}
    func removalsMissed() {}
    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool? { nil }
}
