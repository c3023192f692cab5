import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// The description of a store that a test opens, as the body of its request.
struct TestStoreOrder: Decodable {
    /// The products and settings of a `.storekit` file, or products; nil for those of the server's own store.
    private(set) var configuration: StoreConfiguration?
    private(set) var products: [SandboxProduct]?
    private(set) var bundleIdentifier: String
    private(set) var appAppleIdentifier: Int64?
    private(set) var environment = AppStoreSigner.Environment.sandbox
    private(set) var isRunning: Bool
    private(set) var time: Date?
    private(set) var notificationURL: URL?
    private(set) var sharedSecret: String?
    private(set) var retries: [TimeInterval]?
    private(set) var quirks: Set<StoreQuirk>?
    /// The seconds without a request after which the store is closed.
    private(set) var idle: TimeInterval
    /// Whether the store has a root certificate of its own.
    private(set) var hasOwnRoot: Bool

    /// The valid numbers of seconds without a request.
    static let idleTimes: ClosedRange<Double> = 1...604_800
    /// The number of seconds without a request unless another is given.
    static let usualIdleTime: Double = 600
    /// The bundle identifier unless another is given.
    static let usualBundleIdentifier = "com.example.app"

    enum CodingKeys: String, CodingKey, CaseIterable {
        case storekit, products, bundleIdentifier, appAppleIdentifier, environment, clock, time, notificationURL
        case sharedSecret, retries, idle, root, quirks
    }

    /// Reads the body of a request.
    ///
    /// - Throws: ``ControlFailure`` if the request is invalid.
    init(_ request: HTTPRequest) throws(ControlFailure) {
        self = try ControlBody.decode(Self.self, from: request)
        do {
            configuration = try Self.storekit(in: request.body).map {
                try StoreConfiguration(data: $0, name: "storekit")
            }
        } catch {
            throw ControlFailure(.invalid, "\(error)")
        }
    }

    /// Returns the content of a `.storekit` file in a body, which has it as a text or as the JSON that it is.
    private static func storekit(in body: Data) throws -> Data? {
        guard !body.isEmpty, let members = try UntrustedJSON.object(from: body) as? [String: Any] else { return nil }
        switch members["storekit"] {
        case nil, is NSNull: return nil
        case let text as String: return Data(text.utf8)
        case .some(let value): return try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
        }
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try members.decodeIfPresent(String.self, forKey: key) }
        func failure(_ key: CodingKeys, _ reason: String) -> ControlFailure {
            ControlFailure(.invalid, "\"\(key.stringValue)\" is not \(reason)")
        }
        func choice(_ key: CodingKeys, _ words: [String]) throws -> String {
            let word = try text(key) ?? words[0]
            if !words.contains(word) {
                throw ControlFailure(.invalid, word, "is no \(key.stringValue)", among: words)
            }
            return word
        }
        products = try members.decodeIfPresent([TestStoreProduct].self, forKey: .products)?.map(\.product)
        if products != nil, members.contains(.storekit), try !members.decodeNil(forKey: .storekit) {
            throw ControlFailure(.invalid, "products are given by \"storekit\" or by \"products\", not by both")
        }
        bundleIdentifier = try text(.bundleIdentifier) ?? Self.usualBundleIdentifier
        if bundleIdentifier.isEmpty { throw failure(.bundleIdentifier, "an identifier") }
        appAppleIdentifier = try members.decodeIfPresent(Int64.self, forKey: .appAppleIdentifier)
        environment = try choice(.environment, ["Sandbox", "Production"]) == "Production" ? .production : .sandbox
        isRunning = try choice(.clock, ["fixed", "running"]) == "running"
        time = try text(.time).map { text in
            guard let date = Date(moment: text) else {
                throw failure(.time, "a moment such as 2026-02-01T00:00:00Z")
            }
            return date
        }
        notificationURL = try members.notificationURL(forKey: .notificationURL)
        sharedSecret = try text(.sharedSecret)
        retries = try members.retries(forKey: .retries)
        quirks = try members.quirks(forKey: .quirks)
        idle = try members.decodeIfPresent(Double.self, forKey: .idle) ?? Self.usualIdleTime
        if !Self.idleTimes.contains(idle) { throw failure(.idle, "a number of seconds from 1 to 604800") }
        hasOwnRoot = try choice(.root, ["shared", "own"]) == "own"
    }
}

extension URL {
    /// Creates the URL of a server that receives notifications; nil for any other text.
    package init?(notificationText text: String) {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else { return nil }
        self = url
    }

    /// A description of such a URL.
    package static let notificationAdvice = "a URL that begins with http:// or https://"
}
