import Foundation
import StoreCore
import StoreScenario

// The delivery of notifications.
extension StoreControl {
    /// Sends a notification once more; the response does not wait for the app's server, which may be the client.
    func resend(_ identifier: String) throws -> HTTPResponse {
        guard let notification = try reader.notification(identifier) else {
            throw ControlFailure(.absent, "no notification of this store has this identifier")
        }
        guard outbox.url != nil else {
            throw ControlFailure(.refused, "this store has no URL to which notifications are sent")
        }
        outbox.resend(notification)
        return HTTPResponse(202, json: try reader.row(notification))
    }

    /// Replaces the rules for faulty deliveries by those in a request's body.
    ///
    /// - Throws: ``ControlFailure`` if a rule is invalid; the earlier rules then remain.
    func replaceRules(_ request: HTTPRequest) throws -> HTTPResponse {
        let rules = try Self.rules(in: request.body)
        do {
            for rule in rules { try outbox.check(rule) }
        } catch let error as StoreServerError {
            throw ControlFailure(.refused, error.description)
        }
        outbox.replaceRules(rules)
        return HTTPResponse(json: outbox.rules.json)
    }

    private static func rules(in body: Data) throws(ControlFailure) -> [DeliveryRule] {
        let members: [String: [[String: ControlArgument]]]
        do {
            members = try UntrustedJSON.decode([String: [[String: ControlArgument]]].self, from: body)
        } catch {
            throw ControlFailure(.invalid, "the body is an object with one member, \"rules\", an array of objects")
        }
        guard let rules = members["rules"], members.count == 1 else {
            throw ControlFailure(.invalid, "the body is an object with one member, \"rules\", an array of objects")
        }
        var read: [DeliveryRule] = []
        for rule in rules { read.append(try DeliveryRule(rule.compactMapValues(\.word))) }
        return read
    }
}

extension DeliveryRule {
    private static let members = ["how", "times", "type", "seconds"]

    /// Reads a rule from the members of an object.
    fileprivate init(_ words: [String: String]) throws(ControlFailure) {
        if let unknown = words.keys.sorted().first(where: { !Self.members.contains($0) }) {
            throw ControlFailure(.invalid, unknown, "is not a member of a rule", among: Self.members)
        }
        guard let how = words["how"] else { throw ControlFailure(.invalid, "a rule needs \"how\"") }
        let seconds = words["seconds"].map { Double($0) ?? .nan }
        guard let fault = DeliveryFault(name: how, seconds: seconds ?? .nan) else {
            throw ControlFailure(.invalid, how, "is not a way to deliver notifications", among: DeliveryFault.names)
        }
        if seconds != nil, fault.name != "late" { throw ControlFailure(.invalid, "\"seconds\" belongs to \"late\"") }
        let times = words["times"].map { Int($0) ?? 0 }
        self.init(fault: fault, times: times, type: words["type"])
        do throws(StoreServerError) {
            try check()
        } catch {
            var failure = ControlFailure(.invalid, error.description)
            failure.word = type.flatMap { NotificationTypes.all.contains($0) ? nil : $0 }
            failure.suggestion = failure.word.flatMap { Suggestion.name(for: $0, among: NotificationTypes.all) }
            throw failure
        }
    }
}

extension [DeliveryRule] {
    /// The rules as JSON.
    var json: JSONValue {
        let rules = map { rule -> JSONValue in
            var seconds = JSONValue.null
            if case .late(let delay) = rule.fault { seconds = .seconds(delay) }
            return [
                "how": .string(rule.fault.name), "times": .optional(rule.times), "type": .optional(rule.type),
                "seconds": seconds,
            ]
        }
        return ["rules": .array(rules)]
    }
}
