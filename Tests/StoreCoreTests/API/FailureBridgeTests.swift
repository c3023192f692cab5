import Foundation
import Testing

// What a backend says reaches an app through the queue, by a way that is internal.
@testable import StoreCore

@Suite struct FailureBridgeTests {
    @Test func `A refusal becomes an SKError that says why under two keys`() throws {
        let error = StoreFailure.storeKit(.paymentInvalid, "the store does not sell \"coins.7\"").error
        let refusal = try #require(error as? SKError)
        #expect(refusal.code == .paymentInvalid)
        #expect(refusal.userInfo[StoreFailure.reasonKey] as? String == "the store does not sell \"coins.7\"")
        #expect((error as NSError).localizedFailureReason == "the store does not sell \"coins.7\"")
        #expect(refusal.localizedDescription == SKError(.paymentInvalid).localizedDescription)
    }

    @Test func `An error that has no reason is explained by what its code means`() {
        let failure = StoreFailure(NSError(domain: SKErrorDomain, code: 2))
        #expect(failure.code == 2)
        #expect(!failure.reason.contains("SKErrorDomain") && failure.reason.hasSuffix("."))
        let described = SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: "no coins"])
        #expect(StoreFailure(described).reason == "no coins")
    }

    @Test func `Errors below others stay on the way to a failure, through JSON, and back to an error`() throws {
        let deepest = NSError(domain: "AMSErrorDomain", code: 6)
        let middle = NSError(domain: "ASDErrorDomain", code: 907, userInfo: [NSUnderlyingErrorKey: deepest])
        let errors: [any Error] = [
            SKError(.unknown, userInfo: [NSUnderlyingErrorKey: middle]), SKError(_nsError: middle), middle,
            URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: middle]),
        ]
        for error in errors {
            let sent = StoreFailure(error)
            let failure = try JSONDecoder().decode(StoreFailure.self, from: JSONEncoder().encode(sent))
            #expect(failure == sent)
            let below = try #require((failure.error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect((below.domain, below.code) == (middle.domain, middle.code))
            let last = try #require(below.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect((last.domain, last.code) == (deepest.domain, deepest.code))
            #expect(last.userInfo[NSUnderlyingErrorKey] == nil)
        }
        #expect(StoreFailure(SKError(.unknown)).underlying == nil)
    }

    @Test func `B196: Trouble with the network becomes a URLError, not an SKError`() throws {
        let error = StoreFailure.network(.notConnectedToInternet, "the store's host was not found").error
        let trouble = try #require(error as? URLError)
        #expect(trouble.code == .notConnectedToInternet)
        #expect(trouble.userInfo[StoreFailure.reasonKey] as? String == "the store's host was not found")
        #expect(!(error is SKError))
    }

    @Test func `A number that nobody has a name for is no reason to crash`() throws {
        let refusal = try #require(StoreFailure(domain: .storeKit, code: 99, reason: "new").error as? SKError)
        #expect(refusal.code == .unknown)
        #expect(refusal.errorCode == 99)
        let trouble = try #require(StoreFailure(domain: .network, code: 99, reason: "new").error as? URLError)
        #expect(trouble.userInfo[StoreFailure.reasonKey] as? String == "new")
        _ = trouble.code
    }

    @Test func `A store's product is shown in Store Kit's terms`() {
        let product = SKProduct(
            StoreProduct(
                identifier: "pro",
                localizedTitle: "Pro",
                localizedDescription: "Everything",
                price: Decimal(string: "4.99")!,
                priceLocaleIdentifier: "en_US@currency=USD",
                subscription: .init(
                    period: .init(1, .month),
                    groupIdentifier: "group",
                    introductoryOffer: .init(price: 0, paymentMode: .freeTrial, period: .init(2, .week)),
                    promotionalOffers: [
                        .init(identifier: "back", price: 1, paymentMode: .payUpFront, period: .init(1, .year))
                    ]
                ),
                isFamilyShareable: true,
                hostedContent: .init(version: "1.0", lengths: [12])
            )
        )
        #expect(product.productIdentifier == "pro")
        #expect(product.localizedTitle == "Pro")
        #expect(product.localizedDescription == "Everything")
        #expect(product.price == NSDecimalNumber(string: "4.99"))
        #expect(product.priceLocale.identifier == "en_US@currency=USD")
        #expect(product.subscriptionPeriod == SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .month))
        #expect(product.subscriptionGroupIdentifier == "group")
        #expect(product.introductoryPrice?.type == .introductory)
        #expect(product.introductoryPrice?.subscriptionPeriod.unit == .week)
        #expect(product.introductoryPrice?.priceLocale == product.priceLocale)
        #expect(product.discounts.map(\.identifier) == ["back"])
        #expect(product.discounts.map(\.paymentMode) == [.payUpFront])
        #expect(product.discounts.map(\.type) == [.subscription])
        #expect(product.isFamilyShareable)
        #expect(product.downloadContentLengths == [12])
        #expect(product.introductoryPrice == product.introductoryPrice)
    }

    @Test func `The queue reads a plain payment as it is and a client's through its getters`() {
        let payment = SKMutablePayment(StorePayment(productIdentifier: "a", quantity: 2, applicationUsername: "b"))
        #expect(payment.value == StorePayment(productIdentifier: "a", quantity: 2, applicationUsername: "b"))
        final class Mock: SKMutablePayment {
            override var applicationUsername: String? {
                get { "mock" }
                set {}
            }
        }
        let mock = Mock(productIdentifier: "a")
        mock.quantity = 3
        #expect(mock.value == StorePayment(productIdentifier: "a", quantity: 3, applicationUsername: "mock"))
    }
}
