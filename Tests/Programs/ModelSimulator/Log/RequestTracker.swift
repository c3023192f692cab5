import StoreContract
import StoreCore

/// The requests of one device's apps, and the faults planned for their wire.
///
/// A plan applies to the next message that passes its point, whatever that is. So the way of each request is known, and
/// with it what its app may hear: the model's answer once it has reached the store, and a failure only where one was
/// planned.
final class RequestTracker: @unchecked Sendable {  // unchecked: a run uses one thread
    /// A function that reports a violation.
    var broke: (String) -> Void = { _ in }
    private let device: Int
    /// The requests that may still be answered.
    private var open: [TrackedRequest] = []
    private(set) var last: TrackedRequest?
    /// The request that the store is answering.
    private var answered: TrackedRequest?
    private var plans: [FaultInjector.Point: [FaultInjector.Fault]] = [:]
    private var watched: Set<FaultInjector.Point> = []
    /// The time after which a loss shows, in seconds.
    private var timeout = 0.0
    /// Whether the country was lost in flight since this was last set to false.
    var hasLostCountry = false
    private var count = 0

    init(_ device: Int) { self.device = device }

    // MARK: Plans

    func plan(_ fault: FaultInjector.Fault, at point: FaultInjector.Point, on wire: FaultInjector) {
        if watched.insert(point).inserted {
            // A rule that never injects a fault sees all that passes.
            let watch = FaultInjector.Condition.matching { [unowned self] _ in
                passed(point)
                return false
            }
            wire.add(.pass, at: point, when: watch)
        }
        plans[point, default: []].append(fault)
        timeout = wire.timeout
        wire.add(fault, at: point, times: 1)
    }

    /// Forgets the plans of a wire that has lost all its rules.
    func forgetPlans() {
        plans = [:]
        watched = []
    }

    private func passed(_ point: FaultInjector.Point) {
        guard let fault = plans[point]?.first else { return }
        plans[point]?.removeFirst()
        switch point {
        case .productsRequest, .receiptRequest: last.map { send($0, under: fault) }
        case .productsAnswer, .receiptAnswer: answered.map { answer($0, under: fault) }
        case .storefrontRead: hasLostCountry = fault.loses
        default: break
        }
        if fault == .cut { breakAll() }
    }

    private func send(_ trackedRequest: TrackedRequest, under fault: FaultInjector.Fault) {
        switch fault {
        case .fail(let failure):
            trackedRequest.due = .init(failure)
            trackedRequest.arrivals = 0
        case .drop:
            trackedRequest.right.insert(.timedOut)
            trackedRequest.arrivals = 0
        case .loseAnswer: trackedRequest.due = .lost
        case .duplicate, .echo: trackedRequest.arrivals = 2
        case .delay(let seconds) where seconds > timeout: trackedRequest.right.insert(.timedOut)
        case .pass, .delay, .reorder, .cut, .hold: break
        }
    }

    private func answer(_ trackedRequest: TrackedRequest, under fault: FaultInjector.Fault) {
        switch fault {
        case .fail(let failure): trackedRequest.due = .init(failure)
        case .loseAnswer: trackedRequest.due = .lost
        case .drop: trackedRequest.right.insert(.timedOut)
        case .delay(let seconds) where seconds > timeout: trackedRequest.right.insert(.timedOut)
        case .pass, .delay, .duplicate, .echo, .reorder, .cut, .hold: break
        }
    }

    /// Breaks all requests: their apps hear that the wire is cut, and messages in flight do not arrive.
    private func breakAll() {
        for trackedRequest in open where trackedRequest.subject != .promotion {
            trackedRequest.due = .lost
            trackedRequest.arrivals = 0
        }
    }

    // MARK: Requests

    func begin(_ subject: TrackedRequest.Subject) -> TrackedRequest {
        open.removeAll { $0.heard != nil && $0.arrivals == 0 }
        count += 1
        let trackedRequest = TrackedRequest(count, subject)
        open.append(trackedRequest)
        last = trackedRequest
        return trackedRequest
    }

    func hear(_ answer: TrackedRequest.Answer, of trackedRequest: TrackedRequest) {
        if let violation = trackedRequest.hear(answer) { broke("device \(device) \(violation)") }
    }

    /// Whether a request like this may still reach the store.
    ///
    /// Two such requests cannot be told apart there.
    func mayArrive(_ subject: TrackedRequest.Subject) -> Bool {
        open.contains { $0.subject == subject && $0.arrivals > 0 }
    }

    /// Records that a request reached the store.
    ///
    /// Returns nil if its answer can no longer be heard.
    func arrived(_ subject: TrackedRequest.Subject, number: Int? = nil) -> TrackedRequest? {
        let trackedRequest = open.first {
            $0.subject == subject && (number.map { [own = $0.number] in own == $0 } ?? ($0.arrivals > 0))
        }
        trackedRequest?.arrivals -= 1
        return trackedRequest
    }

    /// Records that the store answers.
    func answering(_ trackedRequest: TrackedRequest?, _ reply: () -> Void) {
        let before = answered
        answered = trackedRequest
        reply()
        answered = before
    }

    /// The unanswered request when nothing is in flight.
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
