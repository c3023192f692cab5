import StoreCore

/// A tracker of each payment's way to the store, as far as its app can know.
final class PaymentTracker: @unchecked Sendable {  // unchecked: a run uses one thread
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

    private struct Payment {
        let device: Int
        var stage: Stage
        var timesSent = 0
        var isOver = false
    }

    private var payments: [Int: Payment] = [:]
    /// The number of running downloads on each device.
    var downloads: [Int: Int] = [:]

    /// The payments that were written to a journal.
    private(set) var recorded: Set<Int> = []

    /// Enumerates the payments made on a device, nil for any, whose result is not known.
    func forEach(on device: Int?, _ body: (Stage, _ isRetried: Bool) -> Void) {
        for payment in payments.values where !payment.isOver && device ?? payment.device == payment.device {
            body(payment.stage, payment.timesSent > 1)
        }
    }

    func recorded(_ commands: [StoreCommand], on device: Int) {
        for case let tag? in commands.map(\.tag) {
            recorded.insert(tag)
            if payments[tag] == nil { payments[tag] = Payment(device: device, stage: .kept) }
        }
    }

    func sent(_ commands: [StoreCommand], from device: Int) {
        for case let tag? in commands.map(\.tag) {
            var payment = payments[tag] ?? Payment(device: device, stage: .sent)
            payment.stage = .sent
            payment.timesSent += 1
            payments[tag] = payment
        }
    }

    func answered(_ answer: SubmissionReply, to commands: [StoreCommand]) {
        for case let tag? in commands.map(\.tag) {
            if case .taken = answer { payments[tag]?.stage = .answered } else { payments[tag]?.stage = .kept }
        }
    }

    func crashed(on device: Int) {
        for (tag, payment) in payments where payment.device == device && payment.stage == .sent {
            payments[tag]?.stage = .unknown
        }
    }

    /// Records that an observer is shown a payment.
    func shown(_ tag: Int, isDecided: Bool) {
        if isDecided { payments[tag]?.isOver = true }
        if payments[tag]?.stage == .givenUp { payments[tag]?.stage = .answered }
    }

    /// Records that a payment was deleted.
    func end(_ tag: Int) { payments[tag]?.isOver = true }

    /// Records that an undecided payment has left its queue.
    func givenUp(_ tag: Int) { payments[tag]?.stage = .givenUp }
}

extension StoreCommand {
    /// The number of the payment that is ordered, nil for anything else.
    fileprivate var tag: Int? {
        guard case .purchase(let payment) = action else { return nil }
        return PaymentTag.number(in: payment.applicationUsername)
    }
}
