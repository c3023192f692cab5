import Foundation
import StoreContract
import StoreCore
import TestSupport
import Testing

/// The stores in the box keep every promise.
@Suite struct SandboxContractTests {
    @Test func `The sandbox keeps every promise`() async {
        let report = await StoreContract.check(.patientSandbox())
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }

    @Test func `The sandbox keeps every promise when a snapshot has many parts`() async {
        var subject = ContractSubject.patientSandbox()
        subject.crowd = 600
        let report = await StoreContract.check(subject)
        #expect(report.isKept, "\(report)")
    }

    @Test func `The sandbox keeps every promise behind a network`() async {
        let report = await StoreContract.check(.patientSandbox { SandboxOnTasks($0) })
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }

    @Test func `The sandbox keeps every promise to queues that do not know that it is in the process`() async {
        let report = await StoreContract.check(.patientSandbox { SocketBackend($0) })
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }

    @Test func `The sandbox keeps every promise by the system's clock`() async {
        let report = await StoreContract.check(.patientSandbox(clock: SystemClock()))
        #expect(report.isKept, "\(report)")
        #expect(report.notTried == [.goesQuiet], "\(report)")
    }

    @Test func `The sandbox keeps every promise behind a network by the system's clock`() async {
        let clock = SystemClock()
        var subject = ContractSubject.patientSandbox(clock: clock) { SandboxOnTasks($0) }
        // A pause does not tell a quiet store from one whose tasks wait for a thread.
        subject.letTimePass = { _, _ in clock.activity.settle() }
        let report = await StoreContract.check(subject)
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }

    @Test func `A store that loses its connections now and then keeps every promise`() async {
        let report = await StoreContract.check(.patientSandbox { LosesConnections($0) })
        #expect(report.isKept, "\(report)")
    }

    @Test func `The suite can also keep its thread`() async {
        let report = await onThread { StoreContract.check(.patientSandbox()) }
        #expect(report.isKept, "\(report)")
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
