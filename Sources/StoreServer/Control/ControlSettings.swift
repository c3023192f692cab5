import Foundation
import StoreScenario

/// A change of a store's servers, as the body of a request.
struct ControlSettings: Decodable {
    private let isAvailable: Bool?
    /// The shared secret; a value of nil removes it.
    private let sharedSecret: String??

    private enum CodingKeys: String, CodingKey, CaseIterable { case isAvailable, sharedSecret }

    init(from decoder: any Decoder) throws {
        let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        isAvailable = try members.decodeIfPresent(Bool.self, forKey: .isAvailable)
        sharedSecret =
            members.contains(.sharedSecret)
            ? .some(try members.decodeIfPresent(String.self, forKey: .sharedSecret)) : nil
    }

    /// Makes the change.
    func apply(to settings: ServerSettings) {
        if let isAvailable { settings.isAvailable = isAvailable }
        if let sharedSecret { settings.sharedSecret = sharedSecret }
    }
}

/// Requests that are to fail, as the body of a request.
struct ControlFailures: Decodable {
    private let verification: Int?
    private let isRetryable: Bool
    private let request: Int?
    private let times: Int

    private enum CodingKeys: String, CodingKey, CaseIterable { case verification, isRetryable, request, times }

    private static let verifications = 21000...21199
    private static let manyTimes = 1...1_000_000

    init(from decoder: any Decoder) throws {
        let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        verification = try members.decodeIfPresent(Int.self, forKey: .verification)
        isRetryable = try members.decodeIfPresent(Bool.self, forKey: .isRetryable) ?? true
        request = try members.decodeIfPresent(Int.self, forKey: .request)
        times = try members.decodeIfPresent(Int.self, forKey: .times) ?? 1
        guard (verification == nil) != (request == nil) else {
            throw ControlFailure(.invalid, "either \"verification\" has a status, or \"request\" an error's number")
        }
        if let verification, !Self.verifications.contains(verification) {
            throw ControlFailure(.invalid, "\"verification\" is not a status from 21000 to 21199")
        }
        if let request, APIError(code: request) == nil {
            throw ControlFailure(.invalid, "\"request\" is not the number of an error of the API, as 4290000 is")
        }
        guard Self.manyTimes.contains(times) else {
            throw ControlFailure(.invalid, "\"times\" is not a whole number from 1 to 1000000")
        }
    }

    /// Adds the failures to those that remain.
    func apply(to settings: ServerSettings) {
        if let verification {
            settings.failVerifications(.init(status: verification, isRetryable: isRetryable), times: times)
        }
        if let request { settings.failRequests(request, times: times) }
    }
}

extension ServerSettings {
    /// The settings, without the secret itself.
    var json: JSONValue {
        let scheduled = scheduled
        return [
            "isAvailable": .bool(isAvailable), "hasSharedSecret": .bool(sharedSecret != nil),
            "verifications": .array(
                scheduled.verifications.map {
                    [
                        "verification": .number($0.failure.status), "isRetryable": .bool($0.failure.isRetryable),
                        "times": .number($0.times),
                    ]
                }
            ),
            "requests": .array(
                scheduled.requests.map { ["request": .number($0.failure), "times": .number($0.times)] }
            ),
        ]
    }
}
