import StoreContract
import StoreCore

/// The requests of one device's apps, and the faults planned for their wire.
///
/// A plan applies to the next message that passes its point, whatever that is. So the way of each inquiry is known, and
/// with it what its app may hear: the model's answer once it has reached the store, and a failure only where one was
/// planned.
final class Inquiries: @unchecked Sendable {  // unchecked: a life is lived on one thread
    /// A function that reports a violation.
    var broke: (String) -> Void = { _ in }
    private let device: Int
    /// The inquiries that may still be answered.
    private var open: [Inquiry] = []
    private(set) var last: Inquiry?
    /// The inquiry that the store is answering.
    private var answered: Inquiry?
    private var plans: [FaultInjector.Point: [FaultInjector.Fault]] = [:]
    private var watched: Set<FaultInjector.Point> = []
    /// The time after which a loss shows, in seconds.
    private var timeout = 0.0
    /// Whether the country was lost in flight since this was last set to false.
    var hasLostCountry = false
    private var count = 0

    init(_ device: Int) { self.device = device }

    // MARK: Plans

    func plan(_ act: FaultInjector.Fault, at point: FaultInjector.Point, on wire: FaultInjector) {
        if watched.insert(point).inserted {
            // A rule that never acts sees all that passes.
            let watch = FaultInjector.Condition.matching { [unowned self] _ in
                passed(point)
                return false
            }
            wire.add(.pass, at: point, when: watch)
        }
        plans[point, default: []].append(act)
        timeout = wire.timeout
        wire.add(act, at: point, times: 1)
    }

    /// Forgets the plans of a wire that has lost all its rules.
    func forgetPlans() {
        plans = [:]
        watched = []
    }

    private func passed(_ point: FaultInjector.Point) {
        guard let act = plans[point]?.first else { return }
        plans[point]?.removeFirst()
        switch point {
        case .productsRequest, .receiptRequest: last.map { send($0, under: act) }
        case .productsAnswer, .receiptAnswer: answered.map { answer($0, under: act) }
        case .storefrontRead: hasLostCountry = act.loses
        default: break
        }
        if act == .cut { breakAll() }
    }

    private func send(_ inquiry: Inquiry, under act: FaultInjector.Fault) {
        switch act {
        case .fail(let failure):
            inquiry.due = .init(failure)
            inquiry.arrivals = 0
        case .drop:
            inquiry.right.insert(.timedOut)
            inquiry.arrivals = 0
        case .loseAnswer: inquiry.due = .lost
        case .duplicate, .echo: inquiry.arrivals = 2
        case .delay(let seconds) where seconds > timeout: inquiry.right.insert(.timedOut)
        case .pass, .delay, .reorder, .cut, .hold: break
        }
    }

    private func answer(_ inquiry: Inquiry, under act: FaultInjector.Fault) {
        switch act {
        case .fail(let failure): inquiry.due = .init(failure)
        case .loseAnswer: inquiry.due = .lost
        case .drop: inquiry.right.insert(.timedOut)
        case .delay(let seconds) where seconds > timeout: inquiry.right.insert(.timedOut)
        case .pass, .delay, .duplicate, .echo, .reorder, .cut, .hold: break
        }
    }

    /// Breaks all requests: their apps hear that the wire is cut, and messages in flight do not arrive.
    private func breakAll() {
        for inquiry in open where inquiry.subject != .promotion {
            inquiry.due = .lost
            inquiry.arrivals = 0
        }
    }

    // MARK: Inquiries

    func begin(_ subject: Inquiry.Subject) -> Inquiry {
        open.removeAll { $0.heard != nil && $0.arrivals == 0 }
        count += 1
        let inquiry = Inquiry(count, subject)
        open.append(inquiry)
        last = inquiry
        return inquiry
    }

    func hear(_ answer: Inquiry.Answer, of inquiry: Inquiry) {
        if let violation = inquiry.hear(answer) { broke("device \(device) \(violation)") }
    }

    /// Whether an inquiry like this may still reach the store.
    ///
    /// Two such inquiries cannot be told apart there.
    func mayArrive(_ subject: Inquiry.Subject) -> Bool { open.contains { $0.subject == subject && $0.arrivals > 0 } }

    /// Records that a request reached the store.
    ///
    /// Returns nil if its answer can no longer be heard.
    func arrived(_ subject: Inquiry.Subject, number: Int? = nil) -> Inquiry? {
        let inquiry = open.first {
            $0.subject == subject && (number.map { [own = $0.number] in own == $0 } ?? ($0.arrivals > 0))
        }
        inquiry?.arrivals -= 1
        return inquiry
    }

    /// Records that the store answers.
    func answering(_ inquiry: Inquiry?, _ reply: () -> Void) {
        let before = answered
        answered = inquiry
        reply()
        answered = before
    }

    /// The unanswered inquiry when nothing is in flight.
    var forgotten: String? {
        open.first { $0.heard == nil }.map { "device \(device) waits for ever for an answer about \($0.subject)" }
    }
}

extension FaultInjector.Fault {
    /// Whether a caller that cannot wait gets no answer.
    fileprivate var loses: Bool {
        switch self {
        case .drop, .loseAnswer, .fail, .cut: true
        case .pass, .delay, .duplicate, .echo, .reorder, .hold: false
        }
    }
}
