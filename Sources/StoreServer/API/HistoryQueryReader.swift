import Foundation
import StoreCore

/// A parser of the query string of a request for a transaction history.
struct HistoryQueryReader {
    private let values: [String: [String]]

    init(_ items: [HTTPRequest.QueryItem]) {
        values = Dictionary(grouping: items, by: \.name).mapValues { $0.map(\.value) }
    }

    /// Returns the history query that the request describes.
    ///
    /// - Throws: an ``APIError`` that names the first invalid value.
    func query(of transaction: String, limit: Int) throws -> ServerHistoryQuery {
        let start = try date("startDate", else: .invalidStartDate)
        let end = try date("endDate", else: .invalidEndDate)
        if let start, let end, start >= end { throw APIError.startDateAfterEndDate }
        return ServerHistoryQuery(
            of: transaction,
            revision: values["revision"]?.last,
            limit: limit,
            startDate: start,
            endDate: end,
            productIdentifiers: Set(try texts("productId", else: .invalidProductIdentifier)),
            productTypes: Set(try choices("productType", Self.productTypes, else: .invalidProductType)),
            sort: try choice("sort", Self.sorts, else: .invalidSort) ?? .ascending,
            groups: Set(try texts("subscriptionGroupIdentifier", else: .invalidSubscriptionGroupIdentifier)),
            ownership: try choice("inAppOwnershipType", Self.ownerships, else: .invalidInAppOwnershipType),
            isRevoked: try bool("revoked", else: .invalidRevoked),
            excludesRevoked: try bool("excludeRevoked", else: .invalidExcludeRevoked) ?? false
        )
    }

    private static let productTypes: [String: TransactionPayload.ProductType] = [
        "AUTO_RENEWABLE": .autoRenewable, "NON_RENEWABLE": .nonRenewing, "CONSUMABLE": .consumable,
        "NON_CONSUMABLE": .nonConsumable,
    ]
    private static let sorts: [String: ServerHistoryQuery.Sort] = ["ASCENDING": .ascending, "DESCENDING": .descending]
    private static let ownerships: [String: TransactionPayload.OwnershipType] = [
        "PURCHASED": .purchased, "FAMILY_SHARED": .familyShared,
    ]

    private func texts(_ name: String, else error: APIError) throws -> [String] {
        let texts = values[name] ?? []
        guard texts.allSatisfy({ !$0.isEmpty }) else { throw error }
        return texts
    }

    private func choices<Value>(_ name: String, _ values: [String: Value], else error: APIError) throws -> [Value] {
        try (self.values[name] ?? []).map { text in
            guard let value = values[text] else { throw error }
            return value
        }
    }

    private func choice<Value>(_ name: String, _ values: [String: Value], else error: APIError) throws -> Value? {
        try choices(name, values, else: error).last
    }

    private func bool(_ name: String, else error: APIError) throws -> Bool? {
        try values[name]?.last.map { text in
            // Apple's client for Python writes Booleans with a capital letter.
            guard let bool = Bool(text.lowercased()) else { throw error }
            return bool
        }
    }

    private func date(_ name: String, else error: APIError) throws -> Date? {
        try values[name]?.last.map { text in
            guard let milliseconds = Int64(text), milliseconds >= 0 else { throw error }
            return PayloadDate(milliseconds: milliseconds).date
        }
    }
}

/// A token for the next page of the history of notifications: the position after which the page begins.
struct PaginationToken: Codable {
    let position: ServerNotification.Position
    /// The request for which the token was issued.
    let request: String
    /// The date at which the token was issued.
    let date: Date

    /// The seconds after which a token has expired.
    static let lifetime: TimeInterval = 86_400

    init(position: ServerNotification.Position, request: String, date: Date) {
        (self.position, self.request, self.date) = (position, request, date)
    }

    /// Decodes a token that a client has sent; nil if it is not one.
    init?(_ text: String) {
        guard text.utf8.count <= 4096, let bytes = Base64URL.decode(Array(text.utf8)[...]),
            let token = try? UntrustedJSON.decode(Self.self, from: Data(bytes))
        else { return nil }
        self = token
    }

    /// The token in the form in which clients receive and send it.
    var text: String {
        let json = (try? JSONEncoder().encode(self)) ?? Data()
        return String(decoding: json.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    func hasExpired(at now: Date) -> Bool { now >= date.addingTimeInterval(Self.lifetime) }
}
