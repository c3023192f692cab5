import Foundation
import StoreCore
import StoreCrypto

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
            guard let date = try? Date(text, strategy: .iso8601) else {
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

/// A product in a request, for which a `.storekit` file would be too long.
///
/// As in such a file, it is generic if it has an identifier that Apple prescribes for Advanced Commerce.
package struct TestStoreProduct: Decodable {
    package let product: SandboxProduct

    private enum Kind: String, CaseIterable { case consumable, nonConsumable, nonRenewing, autoRenewable }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, kind, price, name, description, group, level, period, trial, monthlyPrice, familyShareable
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try members.decodeIfPresent(String.self, forKey: key) }
        func period(_ key: CodingKeys) throws -> StoreProduct.Period? {
            try text(key).map { text in
                guard let period = StoreProduct.Period(iso8601: text) else {
                    throw ControlFailure(.invalid, "\"\(text)\" is not a period such as P1W, P1M or P1Y")
                }
                return period
            }
        }
        let id = try members.decode(String.self, forKey: .id)
        let word = try text(.kind) ?? Kind.consumable.rawValue
        guard let kind = Kind(rawValue: word) else {
            throw ControlFailure(.invalid, word, "is not a kind of product", among: Kind.allCases.map(\.rawValue))
        }
        func price(_ key: CodingKeys) throws -> String {
            if let text = try? members.decode(String.self, forKey: key) { return text }
            return "\(try members.decode(Decimal.self, forKey: key))"
        }
        let cost = try price(.price)
        let monthlyPrice = members.contains(.monthlyPrice) ? try price(.monthlyPrice) : nil
        let name = try text(.name)
        let description = try text(.description) ?? ""
        let isShared = try members.decodeIfPresent(Bool.self, forKey: .familyShareable) ?? false
        let (group, level) = (try text(.group) ?? id, try members.decodeIfPresent(Int.self, forKey: .level) ?? 1)
        let (period, trial) = (try period(.period), try period(.trial))
        guard kind == .autoRenewable || (period == nil && trial == nil) else {
            throw ControlFailure(.invalid, "\"\(id)\" has a period or a trial, and is not autoRenewable")
        }
        guard monthlyPrice == nil || (kind == .autoRenewable && period == StoreProduct.Period(1, .year)) else {
            throw ControlFailure(.invalid, "\"\(id)\" has a monthlyPrice, and is no subscription of a year (P1Y)")
        }
        do {
            let sold: SandboxProduct = try SandboxProduct.makeThrowing {
                switch kind {
                case .consumable: .consumable(id, price: cost, title: name, description: description)
                case .nonConsumable:
                    .nonConsumable(id, price: cost, title: name, description: description, isFamilyShareable: isShared)
                case .nonRenewing:
                    .nonRenewing(id, price: cost, title: name, description: description, isFamilyShareable: isShared)
                case .autoRenewable:
                    .autoRenewable(
                        id,
                        price: cost,
                        period: period ?? StoreProduct.Period(1, .month),
                        group: group,
                        level: level,
                        title: name,
                        description: description,
                        introductoryOffer: trial.map { .freeTrial($0) },
                        isFamilyShareable: isShared
                    )
                }
            }
            let paid =
                if let monthlyPrice {
                    try SandboxProduct.makeThrowing { sold.billedMonthly(price: monthlyPrice) }
                } else {
                    sold
                }
            product = paid.genericByName
        } catch {
            throw ControlFailure(.invalid, "\(error)")
        }
    }
}
