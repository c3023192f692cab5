import Foundation
import StoreCore

// What an app's queue sends to the store.
extension Call {
    /// Sends a command of a device to the store, and returns the order's number.
    ///
    /// - Throws: the failure with which the store could not take it.
    @discardableResult
    func submit(_ action: StoreCommand.Action, on device: SandboxDevice) throws -> OrderID {
        let order = session.nextOrder()
        let answer = Locked<SubmissionReply?>(nil)
        device.submit([StoreCommand(id: order, action: action)]) { reply in answer.withLock { $0 = reply } }
        // The store replies before it returns.
        switch answer.withLock({ $0 }) {
        case .tryLater(let failure): throw failure
        case .refused(let commands): for command in commands { throw command.failure }
        case .taken, nil: break
        }
        return order
    }

    /// Orders something, and returns the answer with the transaction that came of it.
    func order(_ action: StoreCommand.Action, on device: SandboxDevice, _ sentence: String) throws -> ScenarioAnswer {
        let order = try submit(action, on: device)
        guard let transaction = try session.transactions.last(where: { $0.order == order }) else {
            return done("\(sentence) on \(device.name)")
        }
        return done(sentence, transaction)
    }
}
