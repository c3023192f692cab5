// The lines of the table of error codes in the article "What a test can make happen", compiled and run.
import Foundation
import StoreCore
import StoreScenario
import Testing

@Suite struct ErrorCodeTests {
    private static let codes = (0..<100).compactMap(SKError.Code.init(rawValue:))

    private let store: SandboxStore
    private let stranger: SandboxStore
    private let queue: SKPaymentQueue
    private let till = Till()

    init() throws {
        let products = [
            SandboxProduct.autoRenewable(
                "pro.monthly",
                price: "4.99",
                period: .init(1, .month),
                group: "pro",
                promotionalOffers: [
                    .payUpFront(price: "9.99", for: .init(3, .month), identifier: "winter"),
                    .payUpFront(price: "14.97", for: .init(3, .month), identifier: "no.gain"),
                ]
            ).notSold(in: "DEU")
        ]
        store = try SandboxStore(products: products)
        stranger = try SandboxStore(products: products)
        queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        queue.add(till)
    }

    /// Does what the table's row of a code says, before the payment is added.
    private func bringAbout(_ code: SKError.Code, for payment: SKMutablePayment) throws {
        switch code {
        case .unknown:
            store.authorizer = .always(.decline())
        case .clientInvalid:
            try store.device.signOut()
        case .paymentCancelled:
            store.authorizer = .always(.cancel)
        case .paymentInvalid:
            try store.setAvailability(.withdrawn, of: "pro.monthly")
        case .paymentNotAllowed:
            try store.setPaymentsAllowed(false)
        case .storeProductNotAvailable:
            try store.setStorefront("DEU")
        case .cloudServicePermissionDenied:
            store.purchaseFailure = StoreFailure(SKError(.cloudServicePermissionDenied))
        case .cloudServiceNetworkConnectionFailed:
            store.purchaseFailure = StoreFailure(SKError(.cloudServiceNetworkConnectionFailed))
        case .cloudServiceRevoked:
            store.purchaseFailure = StoreFailure(SKError(.cloudServiceRevoked))
        case .privacyAcknowledgementRequired:
            store.purchaseFailure = StoreFailure(SKError(.privacyAcknowledgementRequired))
        case .unauthorizedRequestData:
            payment.requestData = Data([1])
        case .invalidOfferIdentifier:
            payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("gone", for: "pro.monthly"))
        case .invalidSignature:
            payment.paymentDiscount = SKPaymentDiscount(try stranger.signedOffer("winter", for: "pro.monthly"))
        case .missingOfferParams:
            payment.paymentDiscount = SKPaymentDiscount()
        case .invalidOfferPrice:
            payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("no.gain", for: "pro.monthly"))
        case .overlayCancelled:
            store.purchaseFailure = StoreFailure(SKError(.overlayCancelled))
        case .overlayInvalidConfiguration:
            store.purchaseFailure = StoreFailure(SKError(.overlayInvalidConfiguration))
        case .overlayTimeout:
            store.purchaseFailure = StoreFailure(SKError(.overlayTimeout))
        case .ineligibleForOffer:
            payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("winter", for: "pro.monthly"))
        case .unsupportedPlatform:
            store.purchaseFailure = StoreFailure(SKError(.unsupportedPlatform))
        case .overlayPresentedInBackgroundScene:
            store.purchaseFailure = StoreFailure(SKError(.overlayPresentedInBackgroundScene))
        case .paymentMethodBindingConfigurationRequired:
            store.purchaseFailure = StoreFailure(SKError(.paymentMethodBindingConfigurationRequired))
        @unknown default:
            Issue.record("The table has no row for \(code)")
        }
    }

    @Test(arguments: codes) func `Each code of SKError comes about as the table says`(code: SKError.Code) throws {
        let payment = SKMutablePayment(productIdentifier: "pro.monthly")
        try bringAbout(code, for: payment)
        queue.add(payment)
        #expect(till.errors.map { ($0 as? SKError)?.code } == [code])
        #expect(till.delivered.isEmpty)
    }

    /// The cells of the table's rows.
    private static var rows: [[String]] {
        get throws {
            let article = try Document.text("Sources/StoreCore/StoreCore.docc/Articles/WhatATestCanMakeHappen.md")
                .split(separator: "\n")
            let head = try #require(article.firstIndex { $0.hasPrefix("| Code | Number |") })
            return article[(head + 2)...].prefix { $0.hasPrefix("|") }.map { row in
                row.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "`"]) }
            }
        }
    }

    @Test(arguments: codes) func `Each code of SKError comes about by the table's command`(code: SKError.Code) throws {
        let row = try #require(try Self.rows.first { $0.first == "\(code)" })
        let command = row[3]
        if command.hasPrefix("Only in a test: ") { return }
        let performer = ScenarioPerformer(store: store)
        let answer = try performer.perform(command)
        // A command that does not buy sets what the next purchase meets.
        if !command.hasPrefix("buy ") { _ = try performer.perform("buy pro.monthly") }
        #expect(command.hasPrefix("buy ") || !answer.text.contains("failed"))
        let failure = try #require(try store.transactions.last?.failure)
        #expect(failure.domain == .storeKit && failure.code == code.rawValue, "\(command): \(failure)")
    }

    @Test func `The table has a row for each code, with the line that brings it about`() throws {
        let rows = try Self.rows
        #expect(rows.map { Array($0.prefix(2)) } == Self.codes.map { ["\($0)", "\($0.rawValue)"] })
        let source = try Document.text("Tests/DocumentationTests/ExamplesErrors.swift").split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        for row in rows {
            let (code, line) = try (#require(row.first), #require(row.last))
            #expect(source.contains(["case .\(code):", line]), "\(row)")
            #expect(line.contains("purchaseFailure") == (row[2] == "Nothing but an order"), "\(row)")
        }
    }

    @Test func `A canceled payment has the errors below it that were recorded`() throws {
        store.authorizer = .always(.cancel)
        queue.add(SKPayment(productIdentifier: "pro.monthly"))
        #expect(errorsBelow == ["ASDErrorDomain 907", "AMSErrorDomain 6"])
    }

    @Test func `An ordered failure has the error below it with which it was made`() throws {
        let missing = NSError(domain: "ASDServerErrorDomain", code: 3504)
        store.purchaseFailure = StoreFailure(SKError(.unknown, userInfo: [NSUnderlyingErrorKey: missing]))
        queue.add(SKPayment(productIdentifier: "pro.monthly"))
        #expect(errorsBelow == ["ASDServerErrorDomain 3504"])
    }

    /// The domains and codes of the errors below the app's last one, from the top.
    private var errorsBelow: [String] {
        var found: [String] = []
        var error = till.errors.last.map { $0 as NSError }
        while let below = error?.userInfo[NSUnderlyingErrorKey] as? NSError {
            found.append("\(below.domain) \(below.code)")
            error = below
        }
        return found
    }
}
