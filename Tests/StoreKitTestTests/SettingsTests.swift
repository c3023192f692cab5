import StoreCore
import StoreKitTest
import Testing

/// What a session is set to, and what the store makes of it.
@Suite struct SettingsTests {
    private let app: TestApp

    init() throws { app = try TestApp() }

    @Test func `B204: On a file that says nothing a session has Xcode's defaults`() throws {
        let session = try TestApp().session
        #expect(!session.askToBuyEnabled && !session.disableDialogs && !session.failTransactionsEnabled)
        #expect(session.failureError == .unknown && !session.interruptedPurchasesEnabled)
        #expect(!session.shouldEnterBillingRetryOnRenewal && !session.billingGracePeriodIsEnabled)
        #expect(session.storefront == "USA" && session.locale.identifier == "en_US" && session.timeRate == .realTime)
    }

    @Test func `B203: A session has its file's settings, and goes back to them with what was bought`() throws {
        let app = try TestApp("Strict")
        let session = app.session
        #expect(session.askToBuyEnabled && session.disableDialogs && session.storefront == "DEU")
        #expect(session.locale.identifier == "de" && session.timeRate == .monthlyRenewalEveryThirtySeconds)
        session.askToBuyEnabled = false
        session.disableDialogs = false
        session.storefront = "JPN"
        session.locale = Locale(identifier: "ja_JP")
        session.timeRate = .oneRenewalEveryMinute
        session.interruptedPurchasesEnabled = true
        session.failTransactionsEnabled = true
        session.failureError = .invalidSignature
        session.shouldEnterBillingRetryOnRenewal = true
        session.billingGracePeriodIsEnabled = true
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword failed (invalidSignature)"])
        session.resetToDefaultState()
        #expect(session.askToBuyEnabled && session.disableDialogs && session.storefront == "DEU")
        #expect(session.locale.identifier == "de" && session.timeRate == .monthlyRenewalEveryThirtySeconds)
        #expect(!session.interruptedPurchasesEnabled && !session.failTransactionsEnabled)
        #expect(session.failureError == .unknown && !session.shouldEnterBillingRetryOnRenewal)
        #expect(!session.billingGracePeriodIsEnabled)
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword deferred"])
        #expect(app.list == ["0 sword failed", "1 sword deferred"])
    }

    @Test func `B205: The storefront is what the queue reports, and the locale chooses the texts`() throws {
        app.session.storefront = "DEU"
        app.session.locale = Locale(identifier: "de_DE")
        #expect(app.queue.storefront?.countryCode == "DEU")
        let answer = ProductsAnswerRecorder()
        app.context.run {
            let request = SKProductsRequest(productIdentifiers: ["sword"])
            request.delegate = answer
            request.start()
        }
        let product = try #require(answer.products.first)
        #expect(product.localizedTitle == "Schwert" && product.priceLocale.currency?.identifier == "EUR")
    }

    @Test func `A storefront that is no country's leaves the one there is, and is logged`() throws {
        app.session.storefront = "Germany"
        #expect(app.session.storefront == "USA" && app.queue.storefront?.countryCode == "USA")
        #expect(app.log.lines.filter { $0.contains("Germany") }.count == 1)
    }

    @Test func `B207: With failures on, every purchase fails with the error that is set`() throws {
        app.session.failTransactionsEnabled = true
        for code in [
            SKError.Code.unknown, .invalidOfferIdentifier, .invalidSignature, .missingOfferParams, .invalidOfferPrice,
        ] {
            app.session.failureError = code
            app.buy("castle")
            #expect(app.heard == ["castle purchasing", "castle failed (\(code))"])
        }
        app.session.failTransactionsEnabled = false
        app.buy("castle")
        #expect(app.heard == ["castle purchasing", "castle purchased"])
    }

    @Test(arguments: [
        (SKError.Code.unknown, "unknown"), (.invalidOfferIdentifier, "invalidOfferIdentifier"),
        (.invalidSignature, "invalidOfferSignature"), (.missingOfferParams, "missingOfferParameters"),
        (.invalidOfferPrice, "invalidOfferPrice"),
    ])
    func `A10, B207: Store Kit 2 throws the failure of the same name`(code: SKError.Code, name: String) async throws {
        let castle = try #require(await app.context.run { try await Product.products(for: ["castle"]) }.first)
        app.session.failureError = code
        app.session.failTransactionsEnabled = true
        let error = await #expect(throws: (any Error).self) {
            try await app.context.run { try await castle.purchase() }
        }
        #expect("\(try #require(error))" == name)
        if code == .unknown { #expect(error is StoreKitError) } else { #expect(error is Product.PurchaseError) }
    }

    @Test func `A11: A payment cannot take the path of Ask to Buy by itself, in neither Store Kit`() async throws {
        let payment = SKMutablePayment()
        payment.productIdentifier = "castle"
        payment.simulatesAskToBuyInSandbox = true
        app.queue.add(payment)
        #expect(app.heard == ["castle purchasing", "castle purchased"])
        let sword = try #require(await app.context.run { try await Product.products(for: ["sword"]) }.first)
        func purchase() async throws -> Product.PurchaseResult {
            try await app.context.run { try await sword.purchase(options: [.simulatesAskToBuyInSandbox(true)]) }
        }
        guard case .success = try await purchase() else { return _ = Issue.record("the purchase has to be approved") }
        app.session.askToBuyEnabled = true
        guard case .pending = try await purchase() else { return _ = Issue.record("the session asks") }
    }

    @Test func `B207: An error that no purchase can be made to fail with is not taken, and is logged`() throws {
        app.session.failureError = .missingOfferParams
        let others: [SKError.Code] = [
            .clientInvalid, .paymentCancelled, .paymentInvalid, .paymentNotAllowed, .storeProductNotAvailable,
            .unauthorizedRequestData, .ineligibleForOffer,
        ]
        for code in others {
            app.session.failureError = code
            #expect(app.session.failureError == .missingOfferParams)
            #expect(app.log.lines.filter { $0.contains("\(code)") }.count == 1)
        }
    }

    @Test func `B207: Failures that the file asks for are on, and can be switched off`() throws {
        let app = try TestApp("Failing")
        #expect(app.session.failTransactionsEnabled)
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword failed (unknown)"])
        app.session.failTransactionsEnabled = false
        #expect(!app.session.failTransactionsEnabled)
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword purchased"])
    }

    @Test func `A setting leaves alone what was set on the store itself, and a reset does not`() throws {
        app.session.store.purchaseFailure = .storeKit(.paymentCancelled, "the user cancels")
        app.session.disableDialogs = true
        app.session.storefront = "DEU"
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword failed (paymentCancelled)"])
        app.session.resetToDefaultState()
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword purchased"])
    }

    @Test func `B206: Purchases go through without anybody at the screen, dialogs or not`() throws {
        for isOff in [true, false] {
            app.session.disableDialogs = isOff
            #expect(app.session.disableDialogs == isOff)
            app.buy("sword")
            #expect(app.heard == ["sword purchasing", "sword purchased"])
        }
    }
}

/// Keeps what a products request is answered.
final class ProductsAnswerRecorder: NSObject, SKProductsRequestDelegate {
    private(set) var products: [SKProduct] = []

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        products = response.products
    }
}
