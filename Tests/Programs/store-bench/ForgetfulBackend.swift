import Foundation
import StoreCore

/// A backend that sells everything and stores nothing: figures on it measure the queue alone.
final class ForgetfulBackend: StoreBackend {
    let clock: any StoreClock = ManualClock()
    let lane = BackendLane.caller
    private let receiver: Receiver = Receiver()

    /// A receiver that only one thread uses.
    private final class Receiver: @unchecked Sendable {
        var receiver: (any StoreUpdateReceiver)?
        var position = 0
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        reply(.taken)
        var updates: [StoreUpdate] = []
        for command in commands {
            guard case .purchase(let payment) = command.action else { continue }
            let transaction = StoreTransaction(
                identifier: String(command.id.number),
                order: command.id,
                payment: payment,
                state: .purchased,
                date: clock.now
            )
            updates.append(.transaction(transaction))
        }
        let position = receiver.position + 1
        let batch = UpdateBatch(
            after: UpdateCursor(position: receiver.position),
            through: UpdateCursor(position: position),
            updates: updates
        )
        receiver.position = position
        receiver.receiver?.receive(batch)
    }

    func connect(_ new: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        receiver.receiver = new
        new.receive(UpdateBatch(after: nil, through: UpdateCursor(position: receiver.position), updates: []))
    }

    func disconnect(_ old: any StoreUpdateReceiver) { receiver.receiver = nil }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        reply(.success(ProductsAnswer(products: [], invalidIdentifiers: Array(identifiers))))
    }
}
