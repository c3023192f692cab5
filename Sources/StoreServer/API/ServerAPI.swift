import Foundation
import StoreCore

/// The App Store Server API and the Advanced Commerce API of a store.
package struct ServerAPI: Sendable {
    let view: ServerView
    let verifier: TokenVerifier
    let settings: ServerSettings
    /// The tests of the server that chooses retention messages.
    let tester: PerformanceTester
    /// Returns whether the store has a URL to which notifications are sent.
    let hasNotificationURL: @Sendable () -> Bool
    /// Returns the current time by the system's clock, which clients use too: for the expiry of tokens and for
    /// `Retry-After`.
    let now: @Sendable () -> Date
    private let log: StoreLog
    private let recentAnswers = RecentAnswers()

    /// The maximum number of transactions or notifications in a response.
    static let pageSize = 20

    /// Creates the API of a store; `log` receives the reason for each internal error.
    package init(
        _ view: ServerView,
        key: APIKey,
        settings: ServerSettings,
        tester: PerformanceTester,
        hasNotificationURL: @escaping @Sendable () -> Bool,
        log: StoreLog = .silent,
        now: @escaping @Sendable () -> Date
    ) {
        self.view = view
        verifier = TokenVerifier(key: key, bundleIdentifier: view.bundleIdentifier)
        self.settings = settings
        self.tester = tester
        self.hasNotificationURL = hasNotificationURL
        self.log = log
        self.now = now
    }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - request: the request, which may have any content.
    ///   - path: the parts of the request's path, from `inApps`, `externalPurchase` or `advancedCommerce` on.
    ///   - isForeign: whether the request came to the API of an environment other than the store's. That API does not
    ///     know the store's transactions.
    /// - Returns: the response.
    package func respond(to request: HTTPRequest, _ path: some Collection<String>, isForeign: Bool) -> HTTPResponse {
        guard verifier.isValid(request.headers["authorization"], at: now()) else { return HTTPResponse(401) }
        let isProduction = (view.environment == "Production") != isForeign
        if isProduction, !settings.isReleased { return HTTPResponse(401) }
        do {
            let route = try Route(request.method, path)
            if let failure = settings.nextRequest().flatMap(APIError.init(code:)) { throw failure }
            guard settings.isAvailable else { throw APIError.internalErrorRetryable }
            if isForeign { return try foreignAnswer(route) }
            guard route.isAboutTransactions else { return try answer(route, request) }
            return try recentAnswers.answer(to: .init(route: route, query: request.query), of: view) {
                try answer(route, request)
            }
        } catch let absence as Route.Absence {
            switch absence {
            case .path: return HTTPResponse(404)
            case .method(let allowed): return HTTPResponse(405, headers: ["Allow": allowed])
            }
        } catch let error as APIError {
            return error.response(at: now())
        } catch let refusal as ServerRefusal {
            return APIError(refusal).response(at: now())
        } catch let refusal as ExternalReportRefusal {
            return ExternalReportMistake.response(listing: refusal.mistakes)
        } catch let fault as AdvancedCommerceFault {
            return APIError(fault).response(at: now())
        } catch {
            // The ledger cannot be read, or the signer failed.
            log("the server API answers with error \(APIError.internalError.code): \(error)")
            return APIError.internalError.response(at: now())
        }
    }

    private func answer(_ route: Route, _ request: HTTPRequest) throws -> HTTPResponse {
        switch route {
        case .transaction(let identifier): try transaction(identifier)
        case .history(let identifier, let isComplete):
            try history(of: identifier, request.query, isComplete: isComplete)
        case .subscriptions(let identifier): try subscriptions(of: identifier, request.query)
        case .order(let identifier): try order(identifier)
        case .refunds(let identifier, let isPaged): try refunds(of: identifier, request.query, isPaged: isPaged)
        case .extend(let identifier): try extend(identifier, request.body)
        case .extendAll: try extendAll(request.body)
        case .extensionStatus(let product, let request): try extensionStatus(of: product, request)
        case .requestTest: try requestTest()
        case .testStatus(let token): try testStatus(token)
        case .notificationHistory: try notificationHistory(request.query, request.body)
        case .consumption(let identifier, let version): try takeConsumption(of: identifier, request.body, version)
        case .appAccountToken(let identifier): try setAppAccountToken(of: identifier, request.body)
        case .appTransaction(let identifier): try appTransaction(of: identifier)
        case .finish(let identifier): try finish(identifier)
        case .sendExternalReport: try takeExternalReport(request.body)
        case .externalReport(let identifier): externalReport(identifier)
        case .retention(let route): try answer(route, request)
        case .advancedCommerce(let function, let identifier): try perform(function, of: identifier, request.body)
        }
    }

    /// Returns the response of an environment that has no transactions.
    private func foreignAnswer(_ route: Route) throws -> HTTPResponse {
        switch route {
        case .transaction, .history, .subscriptions, .refunds, .consumption, .appTransaction, .finish,
            .advancedCommerce:
            throw APIError.transactionIdentifierNotFound
        case .extend, .appAccountToken: throw APIError.originalTransactionIdentifierNotFound
        case .order: return orderAnswer([])
        case .extendAll, .requestTest, .notificationHistory, .retention: throw APIError.appNotFound
        case .extensionStatus: throw APIError.statusRequestNotFound
        case .testStatus: throw APIError.testNotificationNotFound
        case .sendExternalReport:
            return ExternalReportMistake.response(listing: [.init(.notFound, "externalPurchaseId")])
        case .externalReport: return ExternalReportMistake(.notFound, "requestIdentifier").response
        }
    }

    /// Returns a response whose body is a JSON object.
    func object(_ members: [String: AnswerValue]) -> HTTPResponse {
        HTTPResponse(json: AnswerValue.object(members).json)
    }

    /// The members of a response that identify the app.
    var app: [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "environment": .text(view.environment), "bundleId": .text(view.bundleIdentifier),
        ]
        members["appAppleId"] = view.appAppleIdentifier.map { .number(Int($0)) }
        return members
    }

    /// Returns an identifier of at most 20 decimal digits; throws `error` for any other text.
    func checked(_ identifier: String, else error: APIError = .invalidTransactionIdentifier) throws -> String {
        guard (1...20).contains(identifier.utf8.count),
            identifier.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw error }
        return identifier
    }

    /// Decodes the body of a request.
    func body<Body: Decodable>(_ type: Body.Type, _ data: Data) throws -> Body {
        do { return try UntrustedJSON.decode(type, from: data) } catch { throw APIError.badRequest }
    }
}

extension APIError {
    /// Creates the error for a store's refusal.
    fileprivate init(_ refusal: ServerRefusal) {
        self =
            switch refusal {
            case .unknownTransaction: .transactionIdentifierNotFound
            case .unknownOriginalTransaction: .originalTransactionIdentifierNotFound
            case .notOriginalTransaction: .transactionIsNotOriginal
            case .notSubscription: .invalidOriginalTransactionIdentifier
            case .notActive, .free: .subscriptionExtensionIneligible
            case .extendedTooOften: .subscriptionMaximumExtension
            case .familyShared: .familySharedSubscriptionExtensionIneligible
            case .invalidDays: .invalidExtendByDays
            case .invalidReason: .invalidExtendReasonCode
            case .invalidRequestIdentifier: .invalidRequestIdentifier
            case .unknownProduct: .invalidProductIdentifier
            case .invalidRevision: .invalidRequestRevision
            case .invalidReport: .badRequest
            }
    }
}

// Functions that change the store.
extension ServerAPI {
    private struct ExtensionBody: Decodable {
        let extendByDays: Lenient<Int>?
        let extendReasonCode: Lenient<Int>?
        let requestIdentifier: Lenient<String>?
        let productId: Lenient<String>?
        let storefrontCountryCodes: Lenient<[String]>?

        /// Returns the number of days, the reason and the request's identifier; throws an error if one is missing.
        func values() throws -> (days: Int, reason: Int, request: String) {
            guard let days = extendByDays?.value else { throw APIError.invalidExtendByDays }
            guard let reason = extendReasonCode?.value else { throw APIError.invalidExtendReasonCode }
            guard let request = requestIdentifier?.value else { throw APIError.invalidRequestIdentifier }
            return (days, reason, request)
        }
    }

    func extend(_ identifier: String, _ data: Data) throws -> HTTPResponse {
        let identifier = try checked(identifier, else: .invalidOriginalTransactionIdentifier)
        let (days, reason, request) = try body(ExtensionBody.self, data).values()
        let outcome: ServerExtension
        do {
            outcome = try view.extendRenewal(of: identifier, days: days, reason: reason, request: request)
        } catch ServerRefusal.notOriginalTransaction {
            throw APIError.invalidOriginalTransactionIdentifier
        }
        var members: [String: AnswerValue] = [
            "originalTransactionId": .text(outcome.originalTransactionIdentifier), "success": .bool(true),
            "effectiveDate": .date(outcome.effectiveDate),
        ]
        members["webOrderLineItemId"] = outcome.webOrderLineItemIdentifier.map { .text($0) }
        return object(members)
    }

    func extendAll(_ data: Data) throws -> HTTPResponse {
        let body = try body(ExtensionBody.self, data)
        let (days, reason, request) = try body.values()
        guard let product = body.productId?.value, !product.isEmpty else { throw APIError.invalidProductIdentifier }
        var storefronts: [String] = []
        if let list = body.storefrontCountryCodes {
            guard let codes = list.value else { throw APIError.invalidStorefrontCountryCode }
            guard !codes.isEmpty else { throw APIError.invalidEmptyStorefrontCountryCodeList }
            guard codes.allSatisfy({ Storefronts.storefront($0) != nil }) else {
                throw APIError.invalidStorefrontCountryCode
            }
            storefronts = codes
        }
        try view.extendRenewals(of: product, days: days, reason: reason, request: request, storefronts: storefronts)
        return object(["requestIdentifier": .text(request)])
    }

    func extensionStatus(of product: String, _ request: String) throws -> HTTPResponse {
        guard let outcome = try view.massExtension(of: product, request: request) else {
            throw APIError.statusRequestNotFound
        }
        return object([
            "requestIdentifier": .text(outcome.requestIdentifier), "complete": .bool(outcome.isComplete),
            "completeDate": .date(outcome.completeDate), "succeededCount": .number(outcome.succeededCount),
            "failedCount": .number(outcome.failedCount),
        ])
    }

    private struct TokenBody: Decodable {
        let appAccountToken: Lenient<String>?
    }

    func setAppAccountToken(of identifier: String, _ data: Data) throws -> HTTPResponse {
        let identifier = try checked(identifier, else: .invalidOriginalTransactionIdentifier)
        let text = try body(TokenBody.self, data).appAccountToken?.value
        guard let token = text.flatMap(UUID.init(uuidString:)) else { throw APIError.invalidAppAccountToken }
        do {
            try view.setAppAccountToken(token, ofOriginal: identifier)
        } catch ServerRefusal.familyShared {
            throw APIError.familyTransactionNotSupported
        }
        return HTTPResponse(200)
    }

    func takeConsumption(of identifier: String, _ data: Data, _ version: Consumption.Version) throws -> HTTPResponse {
        let identifier = try checked(identifier)
        let report = try Consumption(try body(Consumption.Members.self, data), version)
        guard let transaction = try view.transaction(identifier) else { throw try unknown(identifier) }
        guard transaction.payload.inAppOwnershipType == .purchased else { throw APIError.familyTransactionNotSupported }
        try report.check(transaction.payload.type)
        try view.takeConsumption(data, of: identifier, preference: report.preference)
        return HTTPResponse(202)
    }

    func finish(_ identifier: String) throws -> HTTPResponse {
        let identifier = try checked(identifier)
        guard try view.transaction(identifier) != nil else { throw try unknown(identifier) }
        try view.finish(identifier)
        return HTTPResponse(200)
    }
}

// The Advanced Commerce API.
extension ServerAPI {
    private func perform(
        _ function: AdvancedCommerceFunction,
        of identifier: String,
        _ data: Data
    ) throws -> HTTPResponse {
        let changed = try view.perform(function, of: try checked(identifier), data)
        let transaction = AnswerValue.text(try changed.transaction.jws)
        // Apple's library for Python does not read the answer to a request for a refund that has a renewal.
        guard function != .requestRefund else { return object(["signedTransactionInfo": transaction]) }
        var members = ["signedTransactionInfo": transaction]
        if let renewal = changed.renewal { members["signedRenewalInfo"] = .text(try renewal.jws) }
        return object(members)
    }
}

// Test notifications and the notification history.
extension ServerAPI {
    func requestTest() throws -> HTTPResponse {
        guard hasNotificationURL() else { throw APIError.serverNotificationURLNotFound }
        return object(["testNotificationToken": .text(try view.requestTestNotification())])
    }

    func testStatus(_ token: String) throws -> HTTPResponse {
        let isWellFormed = token.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                || scalar == "-" || scalar == "_"
        }
        guard (1...128).contains(token.utf8.count), isWellFormed else { throw APIError.invalidTestNotificationToken }
        guard let found = try view.testNotification(token) else { throw APIError.testNotificationNotFound }
        return object(try members(of: found))
    }

    private func members(of notification: ServerNotification) throws -> [String: AnswerValue] {
        [
            "signedPayload": .text(try NotificationSigner(view: view).signedPayload(notification)),
            "sendAttempts": .list(
                notification.attempts.map {
                    .object(["attemptDate": .date($0.date), "sendAttemptResult": .text($0.result)])
                }
            ),
        ]
    }

    func notificationHistory(_ query: [HTTPRequest.QueryItem], _ data: Data) throws -> HTTPResponse {
        let body = try body(NotificationFilter.Body.self, data)
        let filter = try NotificationFilter(body, now: view.clock.now, environment: view.environment) { identifier in
            guard let transaction = try view.transaction(try checked(identifier)) else {
                throw APIError.transactionIdentifierNotFound
            }
            return transaction.payload.appTransactionId
        }
        let token = query.last { $0.name == "paginationToken" }?.value
        var position = try token.map { text in
            guard let token = PaginationToken(text), token.request == body.fingerprint else {
                throw APIError.invalidPaginationToken
            }
            guard !token.hasExpired(at: view.clock.now) else { throw APIError.paginationTokenExpired }
            return token.position
        }
        var page: [ServerNotification] = []
        var hasMore = false
        try view.forEachNotification(after: position, since: filter.start) { notification in
            guard filter.contains(notification) else { return true }
            hasMore = page.count == Self.pageSize
            if !hasMore { page.append(notification) }
            return !hasMore
        }
        position = page.last?.position
        var members: [String: AnswerValue] = [
            "hasMore": .bool(hasMore),
            "notificationHistory": .list(try page.map { .object(try self.members(of: $0)) }),
        ]
        if hasMore, let position {
            let token = PaginationToken(position: position, request: body.fingerprint, date: view.clock.now)
            members["paginationToken"] = .text(token.text)
        }
        return object(members)
    }
}

// Functions that only read.
extension ServerAPI {
    func transaction(_ identifier: String) throws -> HTTPResponse {
        guard let transaction = try view.transaction(try checked(identifier)) else { throw try unknown(identifier) }
        return object(["signedTransactionInfo": .text(try transaction.jws)])
    }

    func appTransaction(of identifier: String) throws -> HTTPResponse {
        // An account that has bought nothing yet also has an app transaction.
        guard let known = try view.appTransaction(of: try checked(identifier)) else {
            throw APIError.transactionIdentifierNotFound
        }
        return object(["signedAppTransactionInfo": .text(try known.jws)])
    }

    func history(of identifier: String, _ query: [HTTPRequest.QueryItem], isComplete: Bool) throws -> HTTPResponse {
        var meant = try HistoryQueryReader(query).query(of: try checked(identifier), limit: Self.pageSize)
        meant.isComplete = isComplete
        let page = try answer(about: identifier) { identifier in
            meant.anyTransaction = identifier
            return try view.history(meant)
        }
        return object(try app.merging(members(page)) { $1 })
    }

    func refunds(of identifier: String, _ query: [HTTPRequest.QueryItem], isPaged: Bool) throws -> HTTPResponse {
        let revision = isPaged ? query.last { $0.name == "revision" }?.value : nil
        // Version 1 of the function has no pages, and returns the first 50 transactions.
        let limit = isPaged ? Self.pageSize : 50
        let page = try answer(about: identifier) { try view.refunds(of: $0, after: revision, limit: limit) }
        let members = try members(page)
        return object(isPaged ? members : members.filter { $0.key == "signedTransactions" })
    }

    private func members(_ page: ServerHistoryPage) throws -> [String: AnswerValue] {
        [
            "revision": .text(page.revision), "hasMore": .bool(page.hasMore),
            "signedTransactions": .list(try page.transactions.map { .text(try $0.jws) }),
        ]
    }

    func subscriptions(of identifier: String, _ query: [HTTPRequest.QueryItem]) throws -> HTTPResponse {
        let states = try query.filter { $0.name == "status" }.map { item in
            guard let number = Int(item.value), let state = SubscriptionState(rawValue: number) else {
                throw APIError.invalidStatus
            }
            return state
        }
        let groups = try answer(about: identifier) { try view.subscriptions(of: $0) }
        let data = try groups.compactMap { group -> AnswerValue? in
            let meant = group.subscriptions.filter { states.isEmpty || states.contains($0.state) }
            if meant.isEmpty { return nil }
            return .object([
                "subscriptionGroupIdentifier": .text(group.groupIdentifier),
                "lastTransactions": .list(try meant.map { AnswerValue.object(try members($0)) }),
            ])
        }
        return object(app.merging(["data": .list(data)]) { $1 })
    }

    private func members(_ subscription: SignedSubscription) throws -> [String: AnswerValue] {
        [
            "status": .number(subscription.state.rawValue),
            "originalTransactionId": .text(subscription.renewal.payload.originalTransactionId),
            "signedTransactionInfo": .text(try subscription.transaction.jws),
            "signedRenewalInfo": .text(try subscription.renewal.jws),
        ]
    }

    func order(_ identifier: String) throws -> HTTPResponse {
        orderAnswer(try view.transactions(ofOrder: identifier).map { try $0.jws })
    }

    /// Returns the response about an order: status 0 with the order's transactions, or status 1 for an unknown order.
    func orderAnswer(_ transactions: [String]) -> HTTPResponse {
        object([
            "status": .number(transactions.isEmpty ? 1 : 0),
            "signedTransactions": .list(transactions.map { .text($0) }),
        ])
    }

    /// Calls `read` with an identifier; if `read` finds nothing, calls it with a transaction that belongs to the app
    /// transaction of that identifier.
    private func answer<Answer>(about identifier: String, _ read: (String) throws -> Answer?) throws -> Answer {
        if let answer = try read(try checked(identifier)) { return answer }
        guard let some = try view.transaction(ofAppTransaction: identifier), let answer = try read(some) else {
            throw APIError.transactionIdentifierNotFound
        }
        return answer
    }

    /// Returns the error for an identifier that belongs to no transaction.
    func unknown(_ identifier: String) throws -> APIError {
        try view.isAppTransaction(identifier) ? .appTransactionIdentifierNotSupported : .transactionIdentifierNotFound
    }
}
