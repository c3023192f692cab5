import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

/// The stores in the box keep every promise.
@Suite("The whole contract, whose pauses take real time") struct SandboxContractTests {
    private func expectKept(
        _ report: ContractReport,
        notTried: [ContractPromise]? = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(report.isKept, "\(report)", sourceLocation: sourceLocation)
        if let notTried { #expect(report.notTried == notTried, "\(report)", sourceLocation: sourceLocation) }
    }

    @Test func `The sandbox keeps every promise`() async { expectKept(await StoreContract.check(.patientSandbox())) }

    @Test func `The sandbox keeps every promise when a snapshot has many parts`() async {
        var subject = ContractSubject.patientSandbox()
        subject.crowd = 600
        expectKept(await StoreContract.check(subject), notTried: nil)
    }

    @Test func `The sandbox keeps every promise behind a network`() async {
        expectKept(await StoreContract.check(.patientSandbox { SandboxOnTasks($0) }))
    }

    @Test func `The sandbox keeps every promise to queues that do not know that it is in the process`() async {
        expectKept(await StoreContract.check(.patientSandbox { SocketBackend($0) }))
    }

    @Test func `The sandbox keeps every promise by the system's clock`() async {
        expectKept(await StoreContract.check(.patientSandbox(clock: SystemClock())), notTried: [.goesQuiet])
    }

    @Test func `The sandbox keeps every promise behind a network by the system's clock`() async {
        let clock = SystemClock()
        var subject = ContractSubject.patientSandbox(clock: clock) { SandboxOnTasks($0) }
        // A pause does not tell a quiet store from one whose tasks wait for a thread.
        subject.letTimePass = { _, _ in clock.activity.settle() }
        expectKept(await StoreContract.check(subject))
    }

    @Test func `A store that loses its connections now and then keeps every promise`() async {
        expectKept(await StoreContract.check(.patientSandbox { LosesConnections($0) }), notTried: nil)
    }

    @Test func `The suite can also keep its thread`() async {
        expectKept(await onThread { StoreContract.check(.patientSandbox()) }, notTried: nil)
    }
}

extension ContractSubject {
    /// A sandbox that is waited for as long as it takes: how long tasks wait for a thread is the machine's affair.
    fileprivate static func patientSandbox(
        clock: (any StoreClock)? = nil,
        _ wrap: @escaping @Sendable (SandboxStore) -> any StoreBackend = { $0 }
    ) -> ContractSubject {
        var subject = sandbox(clock: clock, wrap)
        subject.deadline = 3600
        return subject
    }
}

/// Loses the connection after each batch that is not a snapshot.
private final class LosesConnections: SpoiltStore, @unchecked Sendable {
    override func deliver(_ batch: UpdateBatch, to receiver: any StoreUpdateReceiver) {
        receiver.receive(batch)
        guard batch.after != nil else { return }
        disconnect(receiver)
        receiver.connectionLost(.network(.networkConnectionLost, "cut"))
    }
}
