import StoreCore

/// A tracker of each payment's way to the store, as far as its app can know.
final class PaymentTracker: @unchecked Sendable {  // unchecked: a life is lived on one thread
    enum Stage {
        /// In the journal, and not in flight.
        case kept
        /// In flight.
        case sent
        /// Taken by the store, which has not shown the result.
        case answered
        /// In flight when its app crashed.
        case unknown
        /// Removed from its queue before its result was known.
        case givenUp
    }

    private struct Passage {
        let device: Int
        var stage: Stage
        var timesSent = 0
        var isOver = false
    }

    private var passages: [Int: Passage] = [:]
    /// The number of running downloads on each device.
    var downloads: [Int: Int] = [:]

    /// The payments that were written to a journal.
    private(set) var recorded: Set<Int> = []

    /// Enumerates the payments made on a device, nil for any, whose result is not known.
    func forEach(on device: Int?, _ body: (Stage, _ isRetried: Bool) -> Void) {
        for passage in passages.values where !passage.isOver && device ?? passage.device == passage.device {
            body(passage.stage, passage.timesSent > 1)
        }
    }

    func recorded(_ commands: [StoreCommand], on device: Int) {
        for case let tag? in commands.map(\.tag) {
            recorded.insert(tag)
            if passages[tag] == nil { passages[tag] = Passage(device: device, stage: .kept) }
        }
    }

    func sent(_ commands: [StoreCommand], from device: Int) {
        for case let tag? in commands.map(\.tag) {
            var passage = passages[tag] ?? Passage(device: device, stage: .sent)
            passage.stage = .sent
            passage.timesSent += 1
            passages[tag] = passage
        }
    }

    func answered(_ answer: SubmissionReply, to commands: [StoreCommand]) {
        for case let tag? in commands.map(\.tag) {
            if case .taken = answer { passages[tag]?.stage = .answered } else { passages[tag]?.stage = .kept }
        }
    }

    func died(on device: Int) {
        for (tag, passage) in passages where passage.device == device && passage.stage == .sent {
            passages[tag]?.stage = .unknown
        }
    }

    /// Records that an observer is shown a payment.
    func shown(_ tag: Int, isDecided: Bool) {
        if isDecided { passages[tag]?.isOver = true }
        if passages[tag]?.stage == .givenUp { passages[tag]?.stage = .answered }
    }

    /// Records that a payment was deleted.
    func end(_ tag: Int) { passages[tag]?.isOver = true }

    /// Records that an undecided payment has left its queue.
    func givenUp(_ tag: Int) { passages[tag]?.stage = .givenUp }
}

extension StoreCommand {
    /// The number of the payment that is ordered, nil for anything else.
    fileprivate var tag: Int? {
        guard case .purchase(let payment) = action else { return nil }
        return payment.applicationUsername.flatMap { Int($0) }
    }
}
