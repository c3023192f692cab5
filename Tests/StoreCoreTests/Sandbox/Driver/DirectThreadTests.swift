import Foundation
import StoreCore
import TestSupport
import Testing

/// Several threads that buy at once from a store in the process.
@Suite(.timeLimit(.minutes(10))) struct DirectThreadTests {
    private static let purchases = rounds(100, thoroughly: 500)

    /// Where callbacks are made.
    enum Delivery: CaseIterable {
        case inline, serial, concurrent

        var value: StoreDelivery {
            switch self {
            case .inline: .inline
            case .serial: .queue(DispatchQueue(label: "DirectThreadTests.serial"))
            case .concurrent: .queue(DispatchQueue(label: "DirectThreadTests.concurrent", attributes: .concurrent))
            }
        }
    }

    private func makeStore(isShared: Bool) throws -> SandboxStore {
        let ledger = isShared ? MemoryLedger() : nil
        return try SandboxStore(products: [.consumable("sword", price: "1")], clock: ManualClock(), ledger: ledger)
    }

    @Test(arguments: Delivery.allCases, [true, false])
    func `B17, B36: Four threads on one queue buy and finish each of their payments once`(
        delivery: Delivery,
        isShared: Bool
    ) async throws {
        let store = try makeStore(isShared: isShared)
        let observer = Recorder.finishing()
        let queue = SKPaymentQueue(backend: store, delivery: delivery.value)
        queue.add(observer)
        await onThreads(4) { _ in
            for _ in 0..<Self.purchases { queue.add(SKPayment(productIdentifier: "sword")) }
        }
        await queue.settle()
        try check([observer], store)
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: Delivery.allCases, [true, false])
    func `B17, B36: Four threads with a queue each on one store buy and finish each of their payments once`(
        delivery: Delivery,
        isShared: Bool
    ) async throws {
        let store = try makeStore(isShared: isShared)
        let devices = try (0..<4).map { try store.addDevice("device \($0)", signedInTo: store.account) }
        let observers = devices.map { _ in Recorder.finishing() }
        let queues = devices.map { SKPaymentQueue(backend: $0, delivery: delivery.value) }
        for (queue, observer) in zip(queues, observers) { queue.add(observer) }
        await onThreads(4) { number in
            for _ in 0..<Self.purchases { queues[number].add(SKPayment(productIdentifier: "sword")) }
        }
        for queue in queues { await queue.settle() }
        try check(observers, store)
    }

    private func check(_ observers: [Recorder], _ store: SandboxStore) throws {
        let heard = observers.flatMap(\.history)
        for heard in [Heard.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")] {
            #expect(observers.flatMap(\.history).count { $0 == heard } == 4 * Self.purchases)
        }
        #expect(heard.count == 12 * Self.purchases)
        #expect(observers.allSatisfy { !$0.hasOverlapped })
        #expect(try store.transactions.count == 4 * Self.purchases)
    }
}
