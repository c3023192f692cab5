import Foundation

/// A step in the life of a server: something that happens in the store, on the network, or to the server.
enum ServerStep: Hashable, Sendable {
    /// A command for the store, in the language of scenarios; one that the store refuses has no effect.
    case store(String)
    /// The store's clock advances.
    case advance(hours: Int)
    /// The store's clock advances until the first period of a customer's subscriptions is over.
    case advanceToEnd(customer: String)
    /// The support extends the renewal date of a subscription, counted around all subscriptions.
    case extend(Int, days: Int)
    /// A customer opens or closes the app, which uploads transactions only while it is open.
    case app(customer: String, isOpen: Bool)
    /// From now on, apps upload before or after the store sends notifications.
    case uploadsFirst(Bool)
    /// The next notification is delivered with a fault.
    case notification(DeliveryFault)
    /// The next attempt to deliver a notification is lost, and a retry follows.
    case loseAttempt
    /// The server is killed, and started again by the next request.
    case kill
    /// The server is killed when it has answered a request after some others, and the answer is lost.
    case killDuringRequest(after: Int)
    /// The server is killed when it next asks the API to answer a request, before it has the API's answer.
    case killAsking
    /// The answer to the next upload is lost, and the app uploads again.
    case loseUploadAnswer
    /// A customer is about to cancel each subscription, is shown what the server chooses, and cancels or does not.
    case viewCancellation(customer: String, cancels: Bool)
    /// The next question to the server for a retention message has a fault.
    case question(RetentionFault)
    /// The server is down for a time by the store's clock.
    case down(hours: Int)
    /// The next requests to the API fail with an error.
    case api(Int, times: Int)

    /// The step in words: a command of the scenario language where there is one.
    var line: String {
        switch self {
        case .store(let line): line
        case .advance(let hours): "advance \(hours)h"
        case .advanceToEnd(let customer): "advance-to-end --account \(customer)"
        case .extend(let index, let days): "# the renewal of subscription \(index) is extended by \(days) days"
        case .app(let customer, let isOpen): "# customer \(customer) \(isOpen ? "opens" : "closes") the app"
        case .uploadsFirst(true): "# from now on, apps upload before the store notifies"
        case .uploadsFirst(false): "# from now on, the store notifies before apps upload"
        case .notification(let fault): "# the next notification \(Self.words(fault))"
        case .loseAttempt: "# the next attempt to notify is lost"
        case .kill: "# the server is killed"
        case .killDuringRequest(0): "# the server is killed during the next request, whose answer is lost"
        case .killDuringRequest(let count):
            "# the server is killed during the request after \(count), whose answer is lost"
        case .killAsking: "# the server is killed when it next asks the API, in the middle of a request"
        case .loseUploadAnswer: "# the answer to the next upload is lost"
        case .viewCancellation(let customer, let cancels):
            "view-cancellation\(cancels ? " --then cancel" : "") --account \(customer)"
        case .question(let fault): "# the next question for a retention message \(fault.words)"
        case .down(let hours): "# the server is down for \(hours) h"
        case .api(let code, let times): "# the next \(times) requests to the API fail with \(code)"
        }
    }

    private static func words(_ fault: DeliveryFault) -> String {
        switch fault {
        case .twice: "is delivered twice"
        case .concurrent: "is delivered twice at the same time"
        case .reordered: "is delivered after the one that follows it"
        case .late(let seconds): "is \(Int(seconds / 3600)) h late"
        case .slow: "is answered too late, and sent again"
        case .replayed: "is followed by the one before it"
        case .forged(let forgery): "is preceded by a forged one: \(forgery.rawValue)"
        case .never: "is lost for good, with all retries"
        }
    }

    /// Simpler steps that may do the same: with a transaction that is easier to find, or a shorter time.
    var simpler: [ServerStep] {
        switch self {
        case .store(let line):
            guard let place = line.range(of: "any-") else { return [] }
            let rest = line[place.upperBound...].drop(while: \.isNumber)
            return ["last", "any-0", "any-1", "any-2"]
                .map { line[..<place.lowerBound] + $0 + rest }
                .prefix { $0 != line }
                .map { .store(String($0)) }
        case .advance(let hours): return [1, 24, 72].filter { $0 < hours }.map { .advance(hours: $0) }
        case .killDuringRequest(let count): return (0..<count).map { .killDuringRequest(after: $0) }
        case .api(let code, let times) where times > 1: return [.api(code, times: 1)]
        default: return []
        }
    }

    /// Whether the step only disturbs what a later step causes.
    var isFault: Bool {
        switch self {
        case .notification, .loseAttempt, .loseUploadAnswer, .question, .killDuringRequest, .killAsking, .api: true
        default: false
        }
    }

    /// Whether the step needs a server that the simulation starts.
    var kills: Bool {
        switch self {
        case .kill, .killDuringRequest, .killAsking, .down, .notification(.never): true
        default: false
        }
    }
}
