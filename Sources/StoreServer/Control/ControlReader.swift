import Foundation
import StoreCore
import StoreScenario

/// A reader of a store for the control interface: lists with filters, in pages.
struct ControlReader: Sendable {
    let store: SandboxStore
    let view: ServerView
    let chronicle: StoreChronicle
    let requests: RequestLog
    let deliveries: DeliveryLog

    /// Returns a page of a list as JSON.
    ///
    /// - Parameters:
    ///   - rows: the rows.
    ///   - next: the value of the query's member that requests the next page; nil at the end.
    /// - Returns: the page.
    static func page(_ rows: [JSONValue], next: String? = nil) -> JSONValue {
        ["rows": .array(rows), "next": .optional(next)]
    }

    /// Returns the store's time, country and settings, and the app that it sells for.
    func status(_ performer: ScenarioPerformer) throws -> JSONValue {
        let settings = try performer.perform("status").json
        return [
            "bundleIdentifier": .string(view.bundleIdentifier), "environment": .string(view.environment),
            "settings": .raw(settings),
        ]
    }

    /// Returns the names in the store that are valid for a kind of word.
    ///
    /// - Throws: ``ControlFailure`` for an unknown kind.
    func names(of noun: String, _ performer: ScenarioPerformer) throws -> JSONValue {
        guard let kind = ScenarioValueKind.named.first(where: { $0.noun == noun }) else {
            throw ControlFailure(
                .absent,
                noun,
                "is not a kind of name",
                among: ScenarioValueKind.named.compactMap(\.noun)
            )
        }
        return Self.page(try performer.names(of: kind).map { ["name": .string($0)] })
    }

    // MARK: Transactions

    func transactions(_ query: ControlQuery) throws -> JSONValue {
        if let text = query["before"], Int(text).map({ $0 < 0 }) ?? true {
            throw Self.wrongPlace(text, "before")
        }
        // One more than the page has, to know whether there is another page.
        let (found, _) = try chronicle.transactions(before: query["before"], limit: query.limit + 1) { transaction in
            query.admits(transaction.account, as: "account") && query.admits(transaction.device, as: "device")
                && query.admits(transaction.productIdentifier, as: "product")
                && query.admits("\(transaction.state)", as: "state")
                && query.admits(transaction.original ?? transaction.id, as: "original")
        }
        let page = found.prefix(query.limit)
        return Self.page(page.map(\.row), next: found.count > page.count ? page.last?.id : nil)
    }

    /// Returns a transaction with its signed form; nil if there is none.
    func transaction(_ identifier: String) throws -> JSONValue? {
        guard let transaction = try chronicle.transaction(identifier) else { return nil }
        guard let jws = try view.transaction(identifier)?.jws else { return transaction.row }
        return transaction.row + ["jws": .string(jws), "payload": Self.payload(of: jws)]
    }

    /// Returns what waits for a decision.
    var waiting: JSONValue {
        get throws {
            [
                "undecided": .array(store.undecidedRequests.map(\.json)),
                "interrupted": .array(store.interruptedPurchases.map(\.json)),
                "refundRequests": .array(try store.refundRequests.compactMap(chronicle.transaction).map(\.row)),
            ]
        }
    }

    // MARK: Customers and products

    /// Returns a page of the subscriptions of all accounts.
    ///
    /// A place is an account's and a subscription's, which do not move when others are added.
    func subscriptions(_ query: ControlQuery) throws -> JSONValue {
        let start = try Self.place(in: query) { ServerNotification.Position(text: $0) }
        var found: [(place: ServerNotification.Position, row: JSONValue)] = []
        for (number, account) in store.accounts.enumerated() where query.admits(account.name, as: "account") {
            for (index, subscription) in account.subscriptions.enumerated() {
                let place = ServerNotification.Position(record: number, index: index)
                guard start.map({ $0 < place }) ?? true, found.count <= query.limit,
                    query.admits(subscription.productIdentifier, as: "product")
                else { continue }
                found.append((place, subscription.row(account: account.name)))
            }
        }
        let page = found.prefix(query.limit)
        return Self.page(page.map(\.row), next: found.count > page.count ? page.last?.place.text : nil)
    }

    func accounts(_ query: ControlQuery) throws -> JSONValue {
        try Self.page(of: store.accounts, query) { try $0.json(withTotalsIn: store) }
    }

    func devices(_ query: ControlQuery) throws -> JSONValue { try Self.page(of: store.devices, query, \.json) }

    func products(_ query: ControlQuery) throws -> JSONValue {
        try Self.page(of: store.registeredProducts, query) { $0.json(in: store) }
    }

    /// Returns a page of a list to which rows are only added; a place is the number of rows before it.
    private static func page<Row>(
        of rows: [Row],
        _ query: ControlQuery,
        _ json: (Row) throws -> JSONValue
    ) throws -> JSONValue {
        let start = try place(in: query) { text in Int(text).flatMap { $0 >= 0 ? $0 : nil } } ?? 0
        let page = rows.dropFirst(start).prefix(query.limit)
        return Self.page(try page.map(json), next: page.endIndex < rows.endIndex ? "\(page.endIndex)" : nil)
    }

    /// Returns the place after which a page begins; nil for the first page.
    static func place<Place>(
        in query: ControlQuery,
        _ read: (String) -> Place?
    ) throws(ControlFailure) -> Place? {
        guard let text = query["after"] else { return nil }
        guard let place = read(text) else { throw wrongPlace(text, "after") }
        return place
    }

    // MARK: Servers

    /// Returns a page of notifications, oldest first, with their payloads and attempts at delivery.
    func notifications(_ query: ControlQuery) throws -> JSONValue {
        let start = try Self.place(in: query) { ServerNotification.Position(text: $0) }
        var found: [ServerNotification] = []
        try view.forEachNotification(after: start) { notification in
            guard query.admits(notification.type, as: "type"), query.admits(notification.subtype, as: "subtype"),
                query.admits(notification.transaction?.transactionId, as: "transaction"),
                query.admits(notification.transaction?.originalTransactionId, as: "original")
            else { return true }
            found.append(notification)
            return found.count <= query.limit
        }
        let page = found.prefix(query.limit)
        return Self.page(try page.map(row), next: found.count > page.count ? page.last?.position.text : nil)
    }

    /// Returns a page of the requests that the App Store's servers answered, oldest first.
    func requests(_ query: ControlQuery) throws -> JSONValue {
        try Self.page(of: requests, query, number: \.number, json: \.json)
    }

    /// Returns a page of the posts of notifications, oldest first.
    func deliveries(_ query: ControlQuery) throws -> JSONValue {
        try Self.page(of: deliveries, query, number: \.number, json: \.json)
    }

    private static func page<Line>(
        of log: RecentLog<Line>,
        _ query: ControlQuery,
        number: (Line) -> Int,
        json: (Line) -> JSONValue
    ) throws -> JSONValue {
        let start = try place(in: query) { text in Int(text).flatMap { $0 >= 0 ? $0 : nil } }
        let found = log.lines(after: start ?? 0, limit: query.limit + 1)
        let rows = found.prefix(query.limit)
        return page(rows.map(json), next: found.count > rows.count ? rows.last.map { "\(number($0))" } : nil)
    }

    private static func wrongPlace(_ text: String, _ name: String) -> ControlFailure {
        let rule = "\(name) is the value of \"next\" in an earlier response"
        return ControlFailure(.invalid, "\"\(text)\" is not valid: \(rule)")
    }

    /// Returns a notification; nil if there is none.
    func notification(_ identifier: String) throws -> ServerNotification? {
        try UUID(uuidString: identifier).flatMap(view.notification)
    }

    /// Returns a notification with its payloads and attempts.
    func row(_ notification: ServerNotification) throws -> JSONValue {
        let signed = try NotificationSigner(view: view).signedPayload(notification)
        return notification.json + [
            "payload": Self.payload(of: signed),
            "transactionInfo": try notification.transaction.map { Self.payload(of: try view.sign($0)) } ?? .null,
            "renewalInfo": try notification.renewal.map { Self.payload(of: try view.sign($0)) } ?? .null,
            "signedPayload": .string(signed),
        ]
    }

    /// Returns the payload of a JWS as JSON.
    private static func payload(of jws: String) -> JSONValue {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(Array(parts[1].utf8)[...]),
            let text = String(validating: bytes, as: UTF8.self)
        else { return .null }
        return .raw(text)
    }
}

extension ServerNotification.Position {
    /// The position as text, which ``init(text:)`` reads.
    var text: String { "\(record)-\(index)" }

    init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let record = parts[0], let index = parts[1] else { return nil }
        self.init(record: record, index: index)
    }
}

extension ServerNotification {
    /// The notification with its attempts, without its payloads.
    var json: JSONValue {
        [
            "notification": .string(identifier.uuidString.lowercased()), "type": .string(type),
            "subtype": .optional(subtype), "date": .date(date), "transaction": .optional(transaction?.transactionId),
            "original": .optional(transaction?.originalTransactionId),
            "attempts": .array(attempts.map { ["date": .date($0.date), "result": .string($0.result)] }),
        ]
    }
}

// Members for readers, added to the JSON form that results of commands have.

extension SandboxTransaction {
    /// The transaction, with the reason for its failure.
    var row: JSONValue { json + ["reason": .optional(failure?.reason)] }
}

extension SandboxSubscription {
    /// Returns the subscription with its account.
    func row(account: String) -> JSONValue {
        json + [
            "account": .string(account), "running": .bool(isRunning), "reason": .optional(expirationReason?.rawValue),
        ]
    }
}
