import StoreCore

/// How far each payment has got on its way to the store, as far as its app can know.
final class PaymentTracker: @unchecked Sendable {  // unchecked: a life is lived on one thread
    enum Stage {
        /// In the journal, and not on its way.
        case kept
        /// On its way.
        case sent
        /// The store has taken it, and has not shown what became of it.
        case answered
        /// Its app died while it was on its way.
        case unknown
        /// It has left its queue, and nobody had heard what became of it.
        case givenUp
    }

    private struct Passage {
        let device: Int
        var stage: Stage
        var timesSent = 0
        var isOver = false
    }

    private var passages: [Int: Passage] = [:]
    /// How many downloads are under way on each device.
    var downloads: [Int: Int] = [:]

    /// The payments that were written to a journal.
    private(set) var recorded: Set<Int> = []

    /// Goes through the payments that were made on a device, nil for any, whose outcome nobody has heard.
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

    /// An observer is shown a payment.
    func shown(_ tag: Int, isDecided: Bool) {
        if isDecided { passages[tag]?.isOver = true }
        if passages[tag]?.stage == .givenUp { passages[tag]?.stage = .answered }
    }

    /// A payment was deleted.
    func end(_ tag: Int) { passages[tag]?.isOver = true }

    /// An undecided payment has left its queue.
    func givenUp(_ tag: Int) { passages[tag]?.stage = .givenUp }
}

extension StoreCommand {
    /// The number of the payment that is ordered, nil for anything else.
    fileprivate var tag: Int? {
        guard case .purchase(let payment) = action else { return nil }
        return payment.applicationUsername.flatMap { Int($0) }
    }
}
