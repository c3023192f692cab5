import StoreContract
import StoreCore
import Testing

/// A store that is broken in one way, and the promises that this breaks.
struct Fault: CustomTestStringConvertible, Sendable {
    let name: String
    let breaks: [ContractPromise]
    /// What it breaks as well where threads meet in a certain order.
    private(set) var mayBreak: [ContractPromise] = []
    let wrap: @Sendable (SandboxStore) -> any StoreBackend
    private var pause = 0.05
    var adjust: @Sendable (inout ContractSubject) -> Void = { _ in }

    init(_ store: SpoiltStore.Type, _ breaks: ContractPromise...) { self.init("\(store)", breaks, store) { _ in } }

    /// One whose store has what spoils set.
    private init<Store: SpoiltStore>(
        _ name: String,
        _ breaks: [ContractPromise],
        _ store: Store.Type,
        _ spoil: @escaping @Sendable (Store) -> Void
    ) {
        (self.name, self.breaks) = (name, breaks)
        wrap = {
            let store = store.init($0)
            spoil(store)
            return store
        }
        // Its calls do all their work before they return: what is missing by then does not come later.
        pause = 0.005
    }

    /// One that changes what is sent.
    static func batches(
        _ name: String,
        _ breaks: ContractPromise...,
        spoil: @escaping @Sendable (UpdateBatch) -> [UpdateBatch]
    ) -> Fault { Fault(name, breaks, SpoiltStore.self) { $0.spoilBatch = spoil } }

    /// One that does something else with what is submitted.
    static func submissions(
        _ name: String,
        _ breaks: ContractPromise...,
        spoil: @escaping SpoiltStore.Submission
    ) -> Fault { Fault(name, breaks, SpoiltStore.self) { $0.spoilSubmission = spoil } }

    /// One that changes each update of a transaction, given whether it is part of a snapshot.
    static func transactions(
        _ name: String,
        _ breaks: ContractPromise...,
        spoil: @escaping @Sendable (StoreTransaction, Bool) -> [StoreTransaction]
    ) -> Fault { Fault(name, breaks, SpoiltTransactions.self) { $0.spoilTransaction = spoil } }

    /// One that asks another question of the history, and may give another answer.
    static func questions(
        _ name: String,
        _ breaks: ContractPromise...,
        spoil: @escaping @Sendable (inout HistoryQuery) -> Void,
        answer: (@Sendable (HistoryPage, HistoryQuery) -> HistoryPage)? = nil
    ) -> Fault { Fault(name, breaks, SpoiltHistory.self) { ($0.spoilQuestion, $0.spoilAnswer) = (spoil, answer) } }

    /// One that sends other content than was asked for.
    static func content(
        _ name: String,
        _ breaks: ContractPromise...,
        spoil: @escaping @Sendable (inout ContentRequest) -> Void
    ) -> Fault { Fault(name, breaks, SpoiltStore.self) { $0.spoilContent = spoil } }

    /// One that gives another page of the history.
    static func answers(
        _ name: String,
        _ breaks: ContractPromise...,
        spoil: @escaping @Sendable (HistoryPage, HistoryQuery) -> HistoryPage
    ) -> Fault { Fault(name, breaks, SpoiltHistory.self) { $0.spoilAnswer = spoil } }

    /// One that is written with `async` functions, without receipts and files.
    ///
    /// It is waited for as long as it takes: how long tasks wait for a thread is the machine's affair.
    init<Store: AsyncStoreBackend>(
        _ store: Store.Type,
        _ breaks: ContractPromise...,
        before sandbox: @escaping @Sendable (SandboxStore) -> Store
    ) {
        (name, self.breaks) = ("\(store)", breaks)
        wrap = { sandbox($0).asStoreBackend() }
        adjust = { subject in
            subject.hasReceipts = false
            subject.products.hosted = nil
            subject.deadline = 3600
        }
    }

    private func changed(_ change: (inout Fault) -> Void) -> Fault {
        var fault = self
        change(&fault)
        return fault
    }

    /// One that breaks more where threads meet in a certain order.
    func perhaps(_ promises: ContractPromise...) -> Fault { changed { $0.mayBreak = promises } }

    /// One that holds a thread up: it is not waited for longer than this, by the system's clock.
    func within(seconds: Double) -> Fault { changed { fault in fault.adjust = { $0.deadline = seconds } } }

    /// One that is only seen where another thread gets its turn in time.
    func withPatience(seconds: Double) -> Fault { changed { $0.pause = seconds } }

    /// One that is only seen in a snapshot of several parts, which is waited for as long as it takes.
    func withCrowd(_ crowd: Int) -> Fault {
        changed { fault in fault.adjust = { ($0.crowd, $0.deadline) = (crowd, 3600) } }
    }

    /// One that forgets what it spoilt when it is opened again.
    func withoutReopening() -> Fault {
        var fault = self
        fault.adjust = { subject in
            let newStore = subject.newStore
            subject.newStore = {
                var store = try newStore()
                store.reopen = nil
                return store
            }
        }
        return fault
    }

    var testDescription: String { name }

    var subject: ContractSubject {
        var subject = ContractSubject.sandbox(wrap)
        subject.pause = pause
        adjust(&subject)
        return subject
    }

    static let all: [Fault] = ofCommands + ofOutcomes + ofUpdates + ofNotices + ofRestores + ofRequests + ofHistory
}
