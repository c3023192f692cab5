import StoreCore

/// A function of the App Store Server API or the Advanced Commerce API, with the values of the variable parts of its path.
enum Route: Hashable, Sendable {
    case transaction(String)
    /// The history of an account. Version 1 of the API, which is not complete, omits finished consumables.
    case history(String, isComplete: Bool)
    case subscriptions(String)
    case order(String)
    case refunds(String, isPaged: Bool)
    case extend(String)
    case extendAll
    case extensionStatus(product: String, request: String)
    case requestTest
    case testStatus(String)
    case notificationHistory
    case consumption(String, Consumption.Version)
    case appAccountToken(String)
    case appTransaction(String)
    case finish(String)
    case sendExternalReport
    case externalReport(String)
    case retention(Retention)

    /// A function of the Retention Messaging API.
    enum Retention: Hashable, Sendable {
        case uploadImage(String)
        case deleteImage(String)
        case images
        case uploadMessage(String)
        case deleteMessage(String)
        case messages
        case setDefault(product: String, locale: String)
        case deleteDefault(product: String, locale: String)
        case defaultMessage(product: String, locale: String)
        case setURL
        case deleteURL
        case url
        case beginTest
        case testResult(String)
    }
    case advancedCommerce(AdvancedCommerceFunction, String)

    /// The error for a request that matches no function: status 404, or 405 if the path supports another method.
    enum Absence: Error, Hashable {
        case path
        case method(allowed: String)
    }

    private typealias Entry = (method: String, path: [String], make: @Sendable ([String]) -> Route)

    /// The first parts of the paths that are not below `/inApps`: those of the External Purchase Server API and of the
    /// Advanced Commerce API.
    static let otherRoots: Set = ["externalPurchase", "advancedCommerce"]

    /// The method and path of each function.
    ///
    /// The path is the part after `/inApps`, unless it begins with one of ``otherRoots``. An asterisk stands for a variable
    /// part.
    private static let table: [Entry] = [
        ("PUT", ["v1", "transactions", "consumption", "*"], { .consumption($0[0], .first) }),
        ("PUT", ["v2", "transactions", "consumption", "*"], { .consumption($0[0], .second) }),
        ("GET", ["v1", "transactions", "appTransactions", "*"], { .appTransaction($0[0]) }),
        ("PUT", ["v1", "transactions", "*", "appAccountToken"], { .appAccountToken($0[0]) }),
        ("POST", ["v1", "transactions", "*", "finish"], { .finish($0[0]) }),
        ("GET", ["v1", "transactions", "*"], { .transaction($0[0]) }),
        ("GET", ["v1", "history", "*"], { .history($0[0], isComplete: false) }),
        ("GET", ["v2", "history", "*"], { .history($0[0], isComplete: true) }),
        ("GET", ["v1", "lookup", "*"], { .order($0[0]) }),
        ("GET", ["v1", "refund", "lookup", "*"], { .refunds($0[0], isPaged: false) }),
        ("GET", ["v2", "refund", "lookup", "*"], { .refunds($0[0], isPaged: true) }),
        ("POST", ["v1", "subscriptions", "extend", "mass"], { _ in .extendAll }),
        (
            "GET", ["v1", "subscriptions", "extend", "mass", "*", "*"],
            { .extensionStatus(product: $0[0], request: $0[1]) }
        ),
        ("PUT", ["v1", "subscriptions", "extend", "*"], { .extend($0[0]) }),
        ("GET", ["v1", "subscriptions", "*"], { .subscriptions($0[0]) }),
        ("POST", ["v1", "notifications", "test"], { _ in .requestTest }),
        ("GET", ["v1", "notifications", "test", "*"], { .testStatus($0[0]) }),
        ("POST", ["v1", "notifications", "history"], { _ in .notificationHistory }),
        ("PUT", ["externalPurchase", "v1", "reports"], { _ in .sendExternalReport }),
        ("GET", ["externalPurchase", "v1", "reports", "*"], { .externalReport($0[0]) }),
        ("GET", ["v1", "messaging", "image", "list"], { _ in .retention(.images) }),
        ("PUT", ["v1", "messaging", "image", "*"], { .retention(.uploadImage($0[0])) }),
        ("DELETE", ["v1", "messaging", "image", "*"], { .retention(.deleteImage($0[0])) }),
        ("GET", ["v1", "messaging", "message", "list"], { _ in .retention(.messages) }),
        ("PUT", ["v1", "messaging", "message", "*"], { .retention(.uploadMessage($0[0])) }),
        ("DELETE", ["v1", "messaging", "message", "*"], { .retention(.deleteMessage($0[0])) }),
        (
            "PUT", ["v1", "messaging", "default", "*", "*"],
            { .retention(.setDefault(product: $0[0], locale: $0[1])) }
        ),
        (
            "GET", ["v1", "messaging", "default", "*", "*"],
            { .retention(.defaultMessage(product: $0[0], locale: $0[1])) }
        ),
        (
            "DELETE", ["v1", "messaging", "default", "*", "*"],
            { .retention(.deleteDefault(product: $0[0], locale: $0[1])) }
        ),
        ("PUT", ["v1", "messaging", "realtime", "url"], { _ in .retention(.setURL) }),
        ("GET", ["v1", "messaging", "realtime", "url"], { _ in .retention(.url) }),
        ("DELETE", ["v1", "messaging", "realtime", "url"], { _ in .retention(.deleteURL) }),
        ("POST", ["v1", "messaging", "performanceTest"], { _ in .retention(.beginTest) }),
        ("GET", ["v1", "messaging", "performanceTest", "result", "*"], { .retention(.testResult($0[0])) }),
        (
            "POST", ["advancedCommerce", "v1", "subscription", "cancel", "*"],
            { .advancedCommerce(.cancel, $0[0]) }
        ),
        (
            "POST", ["advancedCommerce", "v1", "subscription", "changeMetadata", "*"],
            { .advancedCommerce(.changeMetadata, $0[0]) }
        ),
        (
            "POST", ["advancedCommerce", "v1", "subscription", "changePrice", "*"],
            { .advancedCommerce(.changePrice, $0[0]) }
        ),
        (
            "POST", ["advancedCommerce", "v1", "subscription", "migrate", "*"],
            { .advancedCommerce(.migrate, $0[0]) }
        ),
        (
            "POST", ["advancedCommerce", "v1", "subscription", "revoke", "*"],
            { .advancedCommerce(.revoke, $0[0]) }
        ),
        (
            "POST", ["advancedCommerce", "v1", "transaction", "requestRefund", "*"],
            { .advancedCommerce(.requestRefund, $0[0]) }
        ),
    ]

    /// Finds the function of a request.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - path: the parts of its path, which begins with `inApps` or one of ``otherRoots``.
    /// - Throws: ``Absence`` if no function matches.
    init(_ method: String, _ path: some Collection<String>) throws(Absence) {
        let isBelowInApps = path.first == "inApps"
        let path = Array(path.dropFirst(isBelowInApps ? 1 : 0))
        var allowed: String?
        for entry in Self.table
        where entry.path.count == path.count && Self.otherRoots.contains(entry.path[0]) != isBelowInApps {
            guard zip(entry.path, path).allSatisfy({ $0 == "*" || $0 == $1 }) else { continue }
            guard entry.method == method else {
                allowed = allowed ?? entry.method
                continue
            }
            self = entry.make(zip(entry.path, path).filter { $0.0 == "*" }.map(\.1))
            return
        }
        throw allowed.map { .method(allowed: $0) } ?? .path
    }

    /// Whether the function only reads transactions.
    ///
    /// Its response then stays the same until the store changes.
    var isAboutTransactions: Bool {
        switch self {
        case .transaction, .history, .order, .refunds: true
        default: false
        }
    }
}
