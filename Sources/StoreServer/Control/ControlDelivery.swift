import Foundation
import StoreCore
import StoreScenario

// The delivery of notifications.
extension StoreControl {
    /// Sends a notification once more; the response does not wait for the app's server, which may be the client.
    func resend(_ identifier: String) throws -> HTTPResponse {
        guard let notification = try reader.notification(identifier) else {
            throw ControlFailure(
                .absent,
                "no notification of this store has this identifier; the command notifications lists them"
            )
        }
        guard outbox.url != nil else {
            throw ControlFailure(
                .refused,
                "this store has no URL to which notifications are sent; serve --notify names one, or notificationURL of "
                    + "PATCH /control/v1/server"
            )
        }
        outbox.resend(notification)
        return HTTPResponse(202, json: try reader.row(notification))
    }

    /// Replaces the rules for faulty deliveries by those in a request's body.
    ///
    /// - Throws: ``ControlFailure`` if a rule is invalid; the earlier rules then remain.
    func replaceRules(_ request: HTTPRequest) throws -> HTTPResponse {
        let rules = try ControlBody.decode(ControlRules.self, from: request).rules.map(\.rule)
        do {
            for rule in rules { try outbox.check(rule) }
        } catch let error as StoreServerError {
            throw ControlFailure(.refused, error.description)
        }
        outbox.replaceRules(rules)
        return HTTPResponse(json: outbox.rules.json)
    }
}

/// The rules for faulty deliveries, as the body of a request.
private struct ControlRules: Decodable {
    /// A rule that is valid for some store.
    struct Rule: Decodable {
        let rule: DeliveryRule

        private enum CodingKeys: String, CodingKey, CaseIterable { case how, times, type, seconds }

        init(from decoder: any Decoder) throws {
            let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
            let how = try members.decode(String.self, forKey: .how)
            let seconds = try members.decodeIfPresent(Double.self, forKey: .seconds)
            guard let fault = DeliveryFault(name: how, seconds: seconds ?? .nan) else {
                throw ControlFailure(.invalid, how, "is not a way to deliver notifications", among: DeliveryFault.names)
            }
            if seconds != nil, fault.name != "late" {
                throw ControlFailure(.invalid, "\"seconds\" belongs to \"late\"")
            }
            let type = try members.decodeIfPresent(String.self, forKey: .type)
            if let type, !NotificationTypes.all.contains(type) {
                throw ControlFailure(.invalid, type, "is not a type of notifications", among: NotificationTypes.all)
            }
            rule = DeliveryRule(fault: fault, times: try members.decodeIfPresent(Int.self, forKey: .times), type: type)
            do throws(StoreServerError) {
                try rule.check()
            } catch {
                throw ControlFailure(.invalid, error.description)
            }
        }
    }

    let rules: [Rule]

    private enum CodingKeys: String, CodingKey, CaseIterable { case rules }

    init(from decoder: any Decoder) throws {
        rules = try decoder.checkedContainer(keyedBy: CodingKeys.self).decode([Rule].self, forKey: .rules)
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
