import Foundation
import StoreCore
import StoreScenario

/// A change of a store's servers, as the body of a request.
struct ControlSettings: Decodable {
    private let isAvailable: Bool?
    private let isReleased: Bool?
    // A value of nil removes the secret or the URL, or restores the usual retries.
    private let sharedSecret: String??
    private let notificationURL: URL??
    private let retries: [TimeInterval]??
    private let retriesAfterBadRequest: Bool?
    private let quirks: Set<StoreQuirk>?
    private let retentionTimeout: TimeInterval?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case isAvailable, isReleased, sharedSecret, notificationURL, retries, retriesAfterBadRequest, quirks,
            retentionTimeout
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        isAvailable = try members.decodeIfPresent(Bool.self, forKey: .isAvailable)
        retriesAfterBadRequest = try members.decodeIfPresent(Bool.self, forKey: .retriesAfterBadRequest)
        isReleased = try members.decodeIfPresent(Bool.self, forKey: .isReleased)
        quirks = try members.quirks(forKey: .quirks)
        retentionTimeout = try members.decodeIfPresent(Double.self, forKey: .retentionTimeout)
        guard retentionTimeout.map((0.001...86_400).contains) ?? true else {
            throw ControlFailure(.invalid, "\"retentionTimeout\" is not a number of seconds from 0.001 to 86400")
        }
        sharedSecret =
            members.contains(.sharedSecret)
            ? .some(try members.decodeIfPresent(String.self, forKey: .sharedSecret)) : nil
        notificationURL =
            members.contains(.notificationURL) ? .some(try members.notificationURL(forKey: .notificationURL)) : nil
        retries = members.contains(.retries) ? .some(try members.retries(forKey: .retries)) : nil
    }

    /// Makes the change.
    func apply(to control: StoreControl) {
        let (settings, outbox, store) = (control.settings, control.outbox, control.reader.store)
        if let retentionTimeout { control.realtime.timeout = retentionTimeout }
        if let quirks { store.quirks = quirks }
        if let isAvailable { settings.isAvailable = isAvailable }
        if let isReleased { settings.isReleased = isReleased }
        if let sharedSecret { settings.sharedSecret = sharedSecret }
        if let retriesAfterBadRequest { outbox.retriesAfterBadRequest = retriesAfterBadRequest }
        if let retries { outbox.delays = retries ?? outbox.usualDelays }
        // At last, since the outbox may begin to send.
        if let notificationURL { outbox.url = notificationURL }
    }
}

extension KeyedDecodingContainer {
    /// Decodes the URL of a server that receives notifications; nil if there is none.
    ///
    /// - Throws: ``ControlFailure`` for any other text.
    func notificationURL(forKey key: Key) throws -> URL? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let url = URL(notificationText: text) else {
            throw ControlFailure(.invalid, "\"\(key.stringValue)\" is not \(URL.notificationAdvice)")
        }
        return url
    }

    /// Decodes the names of quirks; nil if there are none.
    ///
    /// - Throws: ``ControlFailure`` for a name that is not a quirk's, or has a time that is not valid.
    func quirks(forKey key: Key) throws -> Set<StoreQuirk>? {
        try decodeIfPresent([String].self, forKey: key)?.reduce(into: []) { quirks, name in
            guard let named = QuirkNames.quirks(named: name) else {
                let defect = QuirkNames.defect(of: name)
                throw ControlFailure(
                    .invalid,
                    defect.word,
                    defect.reason,
                    among: QuirkNames.all,
                    else: defect.advice
                )
            }
            quirks.turnOn(named)
        }
    }

    /// Decodes the seconds between the attempts to deliver a notification; nil if there are none.
    ///
    /// - Throws: ``ControlFailure`` for a number of seconds that is negative, or longer than a year.
    func retries(forKey key: Key) throws -> [TimeInterval]? {
        let retries = try decodeIfPresent([Double].self, forKey: key)
        if let count = retries?.count, count > ServerSettings.mostRetries {
            throw ControlFailure(.invalid, "\"\(key.stringValue)\" has more than \(ServerSettings.mostRetries) numbers")
        }
        if retries?.contains(where: { !(0...ServerSettings.longestRetry).contains($0) }) == true {
            throw ControlFailure(.invalid, "\"\(key.stringValue)\" is not a list of seconds of at most a year each")
        }
        return retries
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

extension StoreControl {
    /// The settings of the store's servers, without the secret itself, and the failures that remain.
    var settingsJSON: JSONValue {
        let scheduled = settings.scheduled
        return [
            "isAvailable": .bool(settings.isAvailable), "isReleased": .bool(settings.isReleased),
            "hasSharedSecret": .bool(settings.sharedSecret != nil),
            "notificationURL": .optional(outbox.url?.absoluteString),
            "retries": .array(outbox.delays.map { .seconds($0) }),
            "retriesAfterBadRequest": .bool(outbox.retriesAfterBadRequest),
            "retentionTimeout": .seconds(realtime.timeout),
            "quirks": .array(reader.store.quirks.names.map(JSONValue.string)),
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
