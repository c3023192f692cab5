import StoreCore
import StoreKitTest
import Testing

/// Errors that a test session simulates in Store Kit 2's calls.
@MainActor @Suite struct SimulatedErrorTests {
    private let app: TestApp

    init() throws { app = try TestApp() }

    @Test(arguments: Simulation.all)
    func `B226: An error is thrown by its own call alone, until it is removed`(simulation: Simulation) async throws {
        let caller = try await Caller()
        let app = caller.app
        #expect(try await caller.failures() == [:])
        try await simulation.set(app.session)
        #expect(try await caller.failures() == simulation.effect)
        #expect(await simulation.isReturned(app.session))
        try await simulation.remove(app.session)
        #expect(try await caller.failures() == [:])
        #expect(await !simulation.isReturned(app.session))
    }

    @Test(arguments: Simulation.all)
    func `A reset removes a session's errors, clearing transactions does not`(simulation: Simulation) async throws {
        let caller = try await Caller()
        let app = caller.app
        try await simulation.set(app.session)
        app.session.clearTransactions()
        #expect(try await caller.failures() == simulation.effect)
        app.session.resetToDefaultState()
        #expect(try await caller.failures() == [:])
        #expect(await !simulation.isReturned(app.session))
    }

    @Test func `All sessions of a context simulate the same errors, and those of others do not`() async throws {
        let other = try TestApp()
        try await app.session.setSimulatedError(.generic(.notEntitled), forAPI: .loadProducts)
        #expect(await app.session.simulatedError(forAPI: .loadProducts) == .generic(.notEntitled))
        #expect(await other.session.simulatedError(forAPI: .loadProducts) == nil)
        _ = try app.context.run { try SKTestSession(contentsOf: TestApp.url("Shop"), clock: app.clock) }
        #expect(await app.session.simulatedError(forAPI: .loadProducts) == nil)
    }

    @Test func `A later error of a call takes the place of an earlier one`() async throws {
        let caller = try await Caller()
        let app = caller.app
        try await app.session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
        try await app.session.setSimulatedError(.purchase(.productUnavailable), forAPI: .purchase)
        #expect(await app.session.simulatedError(forAPI: .purchase) == .purchase(.productUnavailable))
        #expect(await app.session.simulatedError(forAPI: .purchase) != .generic(.unknown))
        #expect(try await caller.failures() == [.purchase: "productUnavailable"])
    }

    @Test(arguments: zip(Simulation.purchases, Simulation.codes))
    func `A12: An error of a purchase fails payments of Store Kit 1, until it is removed`(
        failure: SKTestFailures.Purchase,
        code: any Error & Sendable
    ) async throws {
        try await app.session.setSimulatedError(failure, forAPI: .purchase)
        app.buy("castle")
        app.session.clearTransactions()
        app.buy("sword")
        #expect(app.shop.errors.count == 2)
        for error in app.shop.errors {
            #expect((error as NSError).domain == (code as NSError).domain)
            #expect((error as NSError).code == (code as NSError).code)
        }
        try await app.session.setSimulatedError(nil, forAPI: .purchase)
        app.buy("castle")
        #expect(app.heard.last == "castle purchased" && app.shop.errors.count == 2)
    }

    @Test func `A12: An error of a purchase comes before the session's own, and leaves it as it was`() async throws {
        app.session.failureError = .invalidSignature
        app.session.failTransactionsEnabled = true
        try await app.session.setSimulatedError(.purchase(.invalidOfferPrice), forAPI: .purchase)
        app.buy("castle")
        try await app.session.setSimulatedError(nil, forAPI: .purchase)
        #expect(app.session.failTransactionsEnabled)
        app.buy("castle")
        try await app.session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
        app.session.resetToDefaultState()
        app.buy("castle")
        let heard = app.heard.filter { !$0.hasSuffix("purchasing") }
        #expect(heard == ["castle failed (invalidOfferPrice)", "castle failed (invalidSignature)", "castle purchased"])
    }

    @Test func `A12: Errors of other calls, and purchases outside the app, leave Store Kit 1 alone`() async throws {
        try await app.session.setSimulatedError(.generic(.unknown), forAPI: .loadProducts)
        app.buy("castle")
        try await app.session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
        try app.session.buyProduct(productIdentifier: "sword")
        #expect(app.heard == ["castle purchasing", "castle purchased", "sword purchased"])
    }

    @Test func `A14b: A simulated cancellation of a purchase is returned, not thrown`() async throws {
        let sword = try #require(await app.context.run { try await Product.products(for: ["sword"]) }.first)
        try await app.session.setSimulatedError(.generic(.userCancelled), forAPI: .purchase)
        let result = try await app.context.run { try await sword.purchase() }
        guard case .userCancelled = result else { return _ = Issue.record("the result is \(result)") }
        #expect(app.session.allTransactions().isEmpty)
    }

    @Test func `A call that a session does not know is refused`() async throws {
        struct Unknown: FailableStoreKitAPI { typealias Failure = SKTestFailures.Purchase }
        let session = try TestApp().session
        let error = await #expect(throws: SKTestError.self) {
            try await session.setSimulatedError(.generic(.unknown), forAPI: Unknown())
        }
        #expect(error?.code == .invalidAction)
        #expect(await session.simulatedError(forAPI: Unknown()) == nil)
    }

    @Test func `Failures are the same if their errors are`() {
        typealias Failure = SKTestFailures.LoadProducts
        let (lost, late) = (URLError(.networkConnectionLost), URLError(.timedOut))
        #expect(Failure.generic(.networkError(lost)) == .generic(.networkError(lost)))
        #expect(Failure.generic(.networkError(lost)) != .generic(.networkError(late)))
        #expect(Failure.generic(.systemError(lost)) == .generic(.systemError(lost)))
        #expect(Failure.generic(.systemError(lost)) != .generic(.systemError(late)))
        #expect(Failure.generic(.systemError(lost)) != .generic(.networkError(lost)))
        #expect(Failure.generic(.unknown) != .generic(.unsupported))
    }
}

enum Call: Sendable {
    case loadProducts, purchase, verification, appStoreSync, subscriptionStatus, appTransaction, refundRequest
    case offerCodeRedeem
}

struct Simulation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The calls that throw it, and what they throw.
    let effect: [Call: String]
    let set: @Sendable (SKTestSession) async throws -> Void
    let remove: @Sendable (SKTestSession) async throws -> Void
    let isReturned: @Sendable (SKTestSession) async -> Bool

    init<API: FailableStoreKitAPI>(_ api: API, _ failure: API.Failure, _ error: any Error, _ call: Call?) {
        testDescription = "\(failure) of \(API.self)"
        if case StoreKitError.userCancelled = error, call == .purchase {
            effect = [.purchase: "userCancelled, returned"]
        } else {
            effect = call.map { [$0: "\(error)"] } ?? [:]
        }
        set = { try await $0.setSimulatedError(failure, forAPI: api) }
        remove = { try await $0.setSimulatedError(nil, forAPI: api) }
        isReturned = { await $0.simulatedError(forAPI: api) == failure }
    }

    static let generic: [StoreKitError] = [
        .unknown, .userCancelled, .networkError(URLError(.timedOut)), .systemError(URLError(.badURL)),
        .notAvailableInStorefront, .notEntitled, .unsupported, .invalidPresentationContext,
    ]
    static let refusals: [Product.PurchaseError] = [
        .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer, .invalidOfferIdentifier,
        .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters, .paymentMethodBindingConfigurationRequired,
    ]
    static let defects: [VerificationResult<Any>.VerificationError] = [
        .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding, .invalidSignature,
        .missingRequiredProperties,
    ]
    static let refunds: [Transaction.RefundRequestError] = [.duplicateRequest, .failed, .ineligible]

    /// Failures of purchases, in the order of the errors that Store Kit 1 has for them.
    static let purchases: [SKTestFailures.Purchase] = generic.map { .generic($0) } + refusals.map { .purchase($0) }
    static let codes: [any Error & Sendable] =
        [
            SKError(.unknown), SKError(.paymentCancelled), URLError(.timedOut), URLError(.badURL),
            SKError(.storeProductNotAvailable), SKError(.clientInvalid), SKError(.unknown), SKError(.unknown),
        ]
        + [
            .paymentInvalid, .paymentInvalid, .paymentNotAllowed, .ineligibleForOffer, .invalidOfferIdentifier,
            .invalidOfferPrice, .invalidSignature, .missingOfferParams, .paymentMethodBindingConfigurationRequired,
        ].map { SKError($0) }

    static let all: [Simulation] =
        generic.flatMap { error -> [Simulation] in
            [
                Simulation(.loadProducts, .generic(error), error, .loadProducts),
                Simulation(.purchase, .generic(error), error, .purchase),
                Simulation(.appStoreSync, .generic(error), error, .appStoreSync),
                Simulation(.subscriptionStatus, .generic(error), error, .subscriptionStatus),
                Simulation(.appTransaction, .generic(error), error, .appTransaction),
                Simulation(.refundRequest, .generic(error), error, .refundRequest),
                Simulation(.manageSubscriptions, .generic(error), error, nil),
                Simulation(.offerCodeRedeem, .generic(error), error, .offerCodeRedeem),
            ]
        } + refusals.map { Simulation(.purchase, .purchase($0), $0, .purchase) }
        + refunds.map { Simulation(.refundRequest, .refundRequest($0), $0, .refundRequest) }
        + defects.map { Simulation(.verification, .verification($0), $0, .verification) }
}

/// An app that calls all of Store Kit 2 that can fail.
@MainActor struct Caller {
    let app: TestApp
    private let sword: Product

    init() async throws {
        let app = try TestApp()
        self.app = app
        sword = try #require(await app.context.run { try await Product.products(for: ["sword"]) }.first)
    }

    /// Makes all calls, and returns what failed with which error.
    func failures() async throws -> [Call: String] {
        // The sword is refunded, and the subscription verified.
        if app.session.allTransactions().isEmpty { try app.session.buyProduct(productIdentifier: "pro.monthly") }
        try app.session.buyProduct(productIdentifier: "sword")
        let transaction = try #require(app.session.allTransactions().last)
        // A code of its own for each time, since it can be redeemed once.
        let (store, code) = (app.session.store, UUID().uuidString)
        try store.register(.consumable("gift", price: "1").redeemable(with: code, price: "0"))
        store.codeEntry = .redeem(code: code)
        var failures: [Call: String] = [:]
        func call(_ name: Call, _ body: () async throws -> Void) async {
            do { try await body() } catch { failures[name] = "\(error)" }
        }
        await app.context.run {
            await call(.loadProducts) { _ = try await Product.products(for: ["sword"]) }
            await call(.purchase) {
                if case .userCancelled = try await sword.purchase() { failures[.purchase] = "userCancelled, returned" }
            }
            await call(.verification) { _ = try await Transaction.latest(for: "pro.monthly")?.payloadValue }
            await call(.appTransaction) { _ = try await AppTransaction.shared }
            await call(.appStoreSync) { try await AppStore.sync() }
            await call(.subscriptionStatus) { _ = try await Product.SubscriptionInfo.status(for: "20000000") }
            await call(.offerCodeRedeem) { _ = try await AppStore.presentOfferCodeRedeemSheet() }
            await call(.refundRequest) {
                _ = try await Transaction.beginRefundRequest(for: UInt64(transaction.identifier))
            }
        }
        return failures
    }
}

@Suite struct TestErrorCastTests {
    @Test func `B221: The codes of a session's errors run from 0 to 7`() {
        let codes: [SKTestError.Code] = [
            .serviceUnavailable, .invalidProductIdentifier, .invalidProductType, .invalidURL, .fileNotFound,
            .noSubscriptionFound, .noTransactionFound, .invalidAction,
        ]
        #expect(codes.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7])
    }

    @Test func `An NSError of a session's domain is cast, and caught by its code`() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch SKTestError.fileNotFound { return "no file" } catch let error as SKTestError {
                return "\(error.errorCode)"
            } catch { return "foreign" }
        }
        #expect(caught(NSError(domain: SKTestErrorDomain, code: 4)) == "no file")
        #expect(caught(NSError(domain: SKTestErrorDomain, code: 7)) == "7")
        #expect(caught(NSError(domain: SKErrorDomain, code: 4)) == "foreign")
        #expect(caught(SKTestError(.fileNotFound) as any Error as NSError) == "no file")
        #expect(Set([SKTestError(.invalidURL), SKTestError(.invalidURL)]).count == 1)
    }
}
