import Foundation
import ModelSimulator
import StoreContract
import StoreCore
import Testing

/// What becomes of deleted transactions matters: a store that does not heed it is found.
@Suite struct DeletedTransactionsTests {
    private static let bought: SimulatedOperation = .add(device: 0, product: .sword, quantity: 1)

    @Test(arguments: [SimulatedOperation.deleteTransaction(index: 0), .clearTransactions])
    func `A store that leaves deleted transactions in the queues is found`(act: SimulatedOperation) throws {
        try expectMatters([Self.bought, act]) {
            InterferingBackend($0, hides: { if case .finished = $0 { true } else { false } })
        }
    }

    @Test(arguments: [SimulatedOperation.deleteTransaction(index: 0), .clearTransactions])
    func `A store that leaves deleted transactions in the receipts is found`(act: SimulatedOperation) throws {
        try expectMatters([
            .add(device: 0, product: .season, quantity: 1), .refreshReceipt(device: 0, kind: .plain), act,
            .refreshReceipt(device: 0, kind: .plain),
        ]) { ReceiptHoarder($0) }
    }

    @Test func `A store that tells a family nothing of the deletion of what was shared is found`() throws {
        try expectMatters([
            .foundFamily(account: 0), .joinFamily(account: 1), .add(device: 0, product: .gold, quantity: 1),
            .deleteTransaction(index: 1),
        ]) {
            InterferingBackend($0, hides: { if case .revoked = $0 { true } else { false } })
        }
    }

    @Test func `A store that does not share anew what a member's deletion took away is found`() throws {
        try expectMatters([
            .foundFamily(account: 0), .joinFamily(account: 1), .add(device: 0, product: .gold, quantity: 1),
            .deleteTransaction(index: 0),
        ]) {
            InterferingBackend($0, hidesTransactions: { $0.identifier == "3" })
        }
    }

    @Test func `What is deleted is not paid for, and can be had afresh, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 0, product: .basic, quantity: 1), .advance(days: 31), .deleteTransaction(index: 0),
            .addOffer(device: 0, offer: .winter, signature: .sound), .deleteTransaction(index: 2),
            .presentCodeSheet(device: 0, offer: .friends), .deleteTransaction(index: 0),
            .presentCodeSheet(device: 0, offer: .friends), .advance(days: 31),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `A code can be redeemed again once the period that it extended is deleted, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 0, product: .gold, quantity: 1), .advance(days: 31), .redeem(account: 0, offer: .encore),
            .deleteTransaction(index: 0), .redeem(account: 0, offer: .encore), .advance(days: 31),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `Deletions are printed as they are pasted`() {
        let operations: [SimulatedOperation] = [.deleteTransaction(index: 3), .clearTransactions]
        #expect(operations.map(\.description) == [".deleteTransaction(index: 3)", ".clearTransactions"])
    }
}

/// A backend of whose receipts the longest so far is handed on.
// unchecked: a run uses one thread
private final class ReceiptHoarder: ForwardingBackend, ReceiptService, @unchecked Sendable {
    let backend: any StoreBackend
    private var longest: Data?

    init(_ backend: any StoreBackend) { self.backend = backend }

    var services: StoreServices {
        var services = backend.services
        services.receipts = self
        return services
    }

    func receipt(forTransaction identifier: String) -> Data? {
        backend.services.receipts?.receipt(forTransaction: identifier)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.services.receipts?.refreshReceipt(properties, reply: reply)
    }

    var appReceipt: Data? {
        let newest = backend.services.receipts?.appReceipt
        if newest?.count ?? 0 > longest?.count ?? 0 { longest = newest }
        return longest
    }
}
