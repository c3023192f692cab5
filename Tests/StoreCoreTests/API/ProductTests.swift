import Foundation
import StoreCore
import Testing

@Suite struct ProductTests {
    private let monthly = SKProduct(
        productIdentifier: "pro.monthly",
        localizedTitle: "Pro",
        localizedDescription: "Everything",
        price: NSDecimalNumber(string: "4.99"),
        priceLocale: Locale(identifier: "de_DE@currency=EUR"),
        subscriptionPeriod: SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .month),
        subscriptionGroupIdentifier: "pro",
        introductoryPrice: SKProductDiscount(
            price: 0,
            paymentMode: .freeTrial,
            subscriptionPeriod: SKProductSubscriptionPeriod(numberOfUnits: 2, unit: .week)
        ),
        discounts: [
            SKProductDiscount(
                identifier: "welcome.back",
                price: NSDecimalNumber(string: "1.99"),
                paymentMode: .payAsYouGo,
                subscriptionPeriod: SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .month),
                numberOfPeriods: 3
            )
        ],
        isFamilyShareable: true
    )
    private let coins = SKProduct(productIdentifier: "coins.100")

    @Test func `B14: A product has its identifier, texts and price`() {
        #expect(monthly.productIdentifier == "pro.monthly")
        #expect(monthly.localizedTitle == "Pro")
        #expect(monthly.localizedDescription == "Everything")
        #expect(monthly.price == NSDecimalNumber(string: "4.99"))
    }

    @Test func `A number formatter with the price's locale writes its currency`() {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = monthly.priceLocale
        let text = formatter.string(from: monthly.price) ?? ""
        #expect(text.contains("4,99"))
        #expect(text.contains("€"))
    }

    @Test func `B135: A period is a unit and a number; what is no subscription has none`() {
        let twoWeeks = monthly.introductoryPrice?.subscriptionPeriod
        #expect(twoWeeks?.unit == .week)
        #expect(twoWeeks?.numberOfUnits == 2)
        #expect(monthly.subscriptionPeriod == SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .month))
        #expect(coins.subscriptionPeriod == nil)
    }

    @Test func `B136, B137: Group and introductory price are nil unless they are set up`() {
        #expect(monthly.subscriptionGroupIdentifier == "pro")
        #expect(monthly.introductoryPrice?.paymentMode == .freeTrial)
        #expect(coins.subscriptionGroupIdentifier == nil)
        #expect(coins.introductoryPrice == nil)
    }

    @Test func `B138, B140: Discounts lists the promotional offers, which have identifiers`() {
        #expect(monthly.discounts.map(\.identifier) == ["welcome.back"])
        #expect(monthly.discounts.map(\.type) == [.subscription])
        #expect(monthly.introductoryPrice?.type == .introductory)
        #expect(monthly.introductoryPrice?.identifier == nil)
        #expect(coins.discounts.isEmpty)
    }

    @Test func `B139: A discount has a price, a mode and a length of its own`() {
        let offer = monthly.discounts.first
        #expect(offer?.price == NSDecimalNumber(string: "1.99"))
        #expect(offer?.paymentMode == .payAsYouGo)
        #expect(offer?.numberOfPeriods == 3)
        #expect(offer?.priceLocale.currencyCode == "USD")
        #expect(SKProductDiscount.PaymentMode.payUpFront.rawValue == 1)
    }

    @Test func `B141: Only a shareable product says so`() {
        #expect(monthly.isFamilyShareable)
        #expect(!coins.isFamilyShareable)
    }

    @Test func `B142: A product tells what is hosted for it, by the old names too`() {
        let level = SKProduct(
            productIdentifier: "level.2",
            downloadContentVersion: "1.2",
            downloadContentLengths: [100, 5_000_000_000]
        )
        #expect(level.isDownloadable && level.downloadable)
        #expect(level.downloadContentLengths == [100, 5_000_000_000])
        #expect(level.contentLengths == level.downloadContentLengths)
        #expect(level.downloadContentVersion == "1.2")
        #expect(level.contentVersion == "1.2")
        #expect(!coins.isDownloadable && !coins.downloadable)
        #expect(coins.downloadContentLengths.isEmpty)
    }

    @Test func `The objects that a test's product was made of are kept as they are`() {
        final class Odd: SKProductSubscriptionPeriod, @unchecked Sendable {
            override var numberOfUnits: Int { 42 }
        }
        #expect(SKProduct(productIdentifier: "odd", subscriptionPeriod: Odd()).subscriptionPeriod is Odd)
    }

    @Test func `Periods, discounts and storefronts are equal by value, products by identity`() {
        #expect(
            Set([
                SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .month),
                SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .month),
                SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .year),
            ]).count == 2
        )
        #expect(monthly.introductoryPrice != monthly.discounts.first)
        #expect(SKStorefront(countryCode: "USA", identifier: "1") == SKStorefront(countryCode: "USA", identifier: "1"))
        #expect(SKStorefront(countryCode: "USA", identifier: "1") != SKStorefront(countryCode: "DEU", identifier: "1"))
        #expect(SKProduct(productIdentifier: "coins.100") != coins)
    }

    @Test func `A response has products and what the store does not know`() {
        let response = SKProductsResponse(products: [coins, monthly], invalidProductIdentifiers: ["nothing"])
        #expect(response.products.map(\.productIdentifier) == ["coins.100", "pro.monthly"])
        #expect(response.invalidProductIdentifiers == ["nothing"])
        #expect(SKProductsResponse().products.isEmpty)
        #expect(SKProductsResponse().invalidProductIdentifiers.isEmpty)
    }

    @Test func `B168: A storefront has a country and an identifier`() {
        let storefront = SKStorefront(countryCode: "USA", identifier: "143441")
        #expect(storefront.countryCode == "USA")
        #expect(storefront.identifier == "143441")
    }

    @Test func `B54, B135, B139, B140, B193: Enumerations have Store Kit's numbers`() {
        let states: [SKPaymentTransactionState] = [.purchasing, .purchased, .failed, .restored, .deferred]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
        let units: [SKProduct.PeriodUnit] = [.day, .week, .month, .year]
        #expect(units.map(\.rawValue) == [0, 1, 2, 3])
        let modes: [SKProductDiscount.PaymentMode] = [.payAsYouGo, .payUpFront, .freeTrial]
        #expect(modes.map(\.rawValue) == [0, 1, 2])
        let types: [SKProductDiscount.`Type`] = [.introductory, .subscription]
        #expect(types.map(\.rawValue) == [0, 1])
        let downloads: [SKDownloadState] = [.waiting, .active, .paused, .finished, .failed, .cancelled]
        #expect(downloads.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        let visibilities: [SKProductStorePromotionVisibility] = [.default, .show, .hide]
        #expect(visibilities.map(\.rawValue) == [0, 1, 2])
    }

    @Test func `B160: Products, responses, storefronts, discounts and periods may be read on any thread`() async {
        let product = monthly
        let read = await Task.detached { [product] in
            (product.productIdentifier, product.discounts.count, product.subscriptionPeriod?.numberOfUnits)
        }.value
        #expect(read == ("pro.monthly", 1, 1))
        let response = SKProductsResponse()
        let storefront = SKStorefront(countryCode: "USA", identifier: "143441")
        let others = await Task.detached { [response, storefront] in
            (response.products.count, storefront.countryCode)
        }.value
        #expect(others == (0, "USA"))
    }

    @Test func `B160: The queue and its transactions may be used on any thread`() async {
        let queue = SKPaymentQueue(backend: ScriptedBackend(), delivery: .inline, log: .silent)
        let transaction = SKPaymentTransaction(
            payment: SKPayment(productIdentifier: "sword"),
            transactionState: .purchased,
            transactionIdentifier: "7"
        )
        let read = await Task.detached { [queue, transaction] in
            (queue.transactions.count, transaction.transactionIdentifier)
        }.value
        #expect(read.0 == 0 && read.1 == "7")
    }
}
