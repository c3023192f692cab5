import Foundation
import StoreCore

/// The way to the store of one launch: nothing that a killed process sends arrives, and it hears nothing.
final class LaunchBackend: StoreBackend {
    private let wire: any StoreBackend
    private let process: AppProcess
    private let receivers = Locked<[LaunchReceiver]>([])

    init(_ wire: any StoreBackend, _ process: AppProcess) {
        self.wire = wire
        self.process = process
    }

    var clock: any StoreClock { wire.clock }
    var lane: BackendLane { .caller }

    /// The store's services, none in a killed process.
    var services: StoreServices {
        guard !process.isDead else { return StoreServices() }
        var services = wire.services
        services.history = services.history.map { LaunchHistory($0, process) }
        return services
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        guard process.pass(.call) else { return }
        wire.submit(commands) { [process] answer in
            if process.pass(.answer) { reply(answer) }
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        guard process.pass(.call) else { return }
        let own = receivers.withLock { receivers in
            if let own = receivers.first(where: { $0.receiver === receiver }) { return own }
            let own = LaunchReceiver(receiver, process)
            receivers.append(own)
            return own
        }
        wire.connect(own, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        let own = receivers.withLock { receivers -> LaunchReceiver? in
            let index = receivers.firstIndex { $0.receiver === receiver }
            return index.map { receivers.remove(at: $0) }
        }
        if let own { wire.disconnect(own) }
    }

    func acknowledge(through cursor: UpdateCursor) {
        if process.pass(.call) { wire.acknowledge(through: cursor) }
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        guard process.pass(.call) else { return reply(.failure(AppProcess.lost)) }
        wire.products(identifiers) { [process] answer in
            reply(process.pass(.answer) ? answer : .failure(AppProcess.lost))
        }
    }

    /// Closes all connections, as the end of a process does.
    func close() {
        let all = receivers.withLock { receivers in
            defer { receivers = [] }
            return receivers
        }
        for receiver in all { wire.disconnect(receiver) }
    }
}

extension AppProcess {
    /// The answer to what a killed process still asks, so that none of its tasks waits forever.
    static let lost = StoreFailure.network(.networkConnectionLost, "the app was killed")
}

/// A receiver that hears nothing once its process is killed.
private final class LaunchReceiver: StoreUpdateReceiver {
    let receiver: any StoreUpdateReceiver
    private let process: AppProcess

    init(_ receiver: any StoreUpdateReceiver, _ process: AppProcess) {
        self.receiver = receiver
        self.process = process
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        guard process.pass(.update) else { return }
        receiver.receive(batch)
        process.pass(.update)
    }

    func connectionLost(_ failure: StoreFailure) {
        if !process.isDead { receiver.connectionLost(failure) }
    }
}
