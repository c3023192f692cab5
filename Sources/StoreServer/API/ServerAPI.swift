import Foundation
import StoreCore

/// The App Store Server API of a store.
package struct ServerAPI: Sendable {
    let view: ServerView
    let verifier: TokenVerifier
    let failures: FailureSchedule
    /// Whether there is a URL to send notifications to.
    let hasNotificationURL: Bool
    /// The date by which tokens expire and clients are told to wait: the system's, as clients go by theirs.
    let now: @Sendable () -> Date
    private let log: StoreLog
    private let recentAnswers = RecentAnswers()

    /// The most transactions or notifications in an answer.
    static let pageSize = 20

    /// Creates the API of a store; the log receives the reason of each internal error.
    package init(
        _ view: ServerView,
        key: APIKey,
        failures: FailureSchedule,
        hasNotificationURL: Bool,
        log: StoreLog = .silent,
        now: @escaping @Sendable () -> Date
    ) {
        self.view = view
        verifier = TokenVerifier(key: key, bundleIdentifier: view.bundleIdentifier)
        self.failures = failures
        self.hasNotificationURL = hasNotificationURL
        self.log = log
        self.now = now
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: the request: untrusted input, of any content.
    ///   - path: the parts of its path behind `/inApps`.
    ///   - isForeign: whether it came to the API of an environment that is not the store's, where nothing of the store is
    ///     known.
    /// - Returns: the response.
    package func respond(
        to request: HTTPRequest,
        _ path: some Collection<String>,
        isForeign: Bool
    ) -> HTTPResponse {
        guard verifier.isValid(request.headers["authorization"], at: now()) else { return HTTPResponse(401) }
        do {
            let route = try Route(request.method, path)
            if let failure = failures.nextRequest().flatMap(APIError.init(code:)) { throw failure }
            guard failures.isAvailable else { throw APIError.internalErrorRetryable }
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
        } catch {
            // The ledger cannot be read, or nothing can be signed.
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
        }
    }

    /// Answers where nothing is known.
    private func foreignAnswer(_ route: Route) throws -> HTTPResponse {
        switch route {
        case .transaction, .history, .subscriptions, .refunds, .consumption, .appTransaction, .finish:
            throw APIError.transactionIdentifierNotFound
        case .extend, .appAccountToken: throw APIError.originalTransactionIdentifierNotFound
        case .order: return orderAnswer([])
        case .extendAll, .requestTest, .notificationHistory: throw APIError.appNotFound
        case .extensionStatus: throw APIError.statusRequestNotFound
        case .testStatus: throw APIError.testNotificationNotFound
        }
    }

    /// Returns a response with an object.
    func object(_ members: [String: AnswerValue]) -> HTTPResponse {
        HTTPResponse(json: AnswerValue.object(members).json)
    }

    /// The members that name the app.
    var app: [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "environment": .text(view.environment), "bundleId": .text(view.bundleIdentifier),
        ]
        members["appAppleId"] = view.appAppleIdentifier.map { .number(Int($0)) }
        return members
    }

    /// Returns the identifier if it has the form of one: decimal digits.
    func checked(_ identifier: String, else error: APIError = .invalidTransactionIdentifier) throws -> String {
        guard (1...20).contains(identifier.utf8.count),
            identifier.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw error }
        return identifier
    }

    /// Returns the object in a body.
    func body<Body: Decodable>(_ type: Body.Type, _ data: Data) throws -> Body {
        do { return try UntrustedJSON.decode(type, from: data) } catch { throw APIError.badRequest }
    }
}

extension APIError {
    /// Creates the error of a store's refusal.
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
