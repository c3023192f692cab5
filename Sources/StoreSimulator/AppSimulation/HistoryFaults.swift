import Foundation
import StoreCore

/// The faults of the questions that Store Kit 2 asks about what the user has bought.
final class HistoryFaults: Sendable {
    /// A fault of one question.
    enum Fault: Sendable {
        /// It is not answered, and fails.
        case fail(StoreFailure)
        /// Its answer comes so many seconds later.
        case delay(TimeInterval)
    }

    private struct State {
        /// The faults of the next questions.
        var next: [Fault] = []
        /// The answers that come late.
        var late: [Int: @Sendable () -> Void] = [:]
        var count = 0
    }

    private let state = Locked(State())
    private let clock: ManualClock

    init(clock: ManualClock) { self.clock = clock }

    /// The number of questions with a fault.
    var count: Int { state.withLock { $0.count } }

    func add(_ fault: Fault) { state.withLock { $0.next.append(fault) } }
    func removeAll() { state.withLock { $0.next = [] } }

    /// Asks a question, with the next fault if there is one.
    func ask<Answer: Sendable>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        let (fault, number) = state.withLock { state -> (Fault?, Int) in
            guard !state.next.isEmpty else { return (nil, state.count) }
            state.count += 1
            return (state.next.removeFirst(), state.count)
        }
        switch fault {
        case nil: call(reply)
        case .fail(let failure): reply(.failure(failure))
        case .delay(let seconds): call { answer in self.keep(number, for: seconds) { reply(answer) } }
        }
    }

    /// Keeps the answer to a question with a fault, of which each has a number.
    private func keep(_ number: Int, for seconds: TimeInterval, _ answer: @escaping @Sendable () -> Void) {
        state.withLock { $0.late[number] = answer }
        clock.schedule(at: clock.now + seconds) { [weak self] in
            self?.state.withLock { $0.late.removeValue(forKey: number) }?()
        }
    }

    /// Gives all answers that are late, so that nobody waits for them when the life is over.
    func answerLate() {
        let late = state.withLock { state in
            defer { state.late = [:] }
            return state.late.sorted { $0.key < $1.key }.map(\.value)
        }
        for answer in late { answer() }
    }
}
