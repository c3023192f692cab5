import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct KeyValueTests {
    @Test func `A test prepares an empty product key by key`() {
        let product = SKProduct()
        product.setValue("pro.monthly", forKey: "productIdentifier")
        product.setValue("Pro", forKey: "localizedTitle")
        product.setValue("Everything", forKey: "localizedDescription")
        product.setValue(NSDecimalNumber(string: "4.99"), forKey: "price")
        product.setValue(Locale(identifier: "fr_FR"), forKey: "priceLocale")
        product.setValue(SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .year), forKey: "subscriptionPeriod")
        product.setValue("pro", forKey: "subscriptionGroupIdentifier")
        product.setValue(SKProductDiscount(), forKey: "introductoryPrice")
        product.setValue([SKProductDiscount()], forKey: "discounts")
        product.setValue(true, forKey: "isFamilyShareable")
        product.setValue(true, forKey: "isDownloadable")
        product.setValue([NSNumber(value: 7)], forKey: "downloadContentLengths")
        product.setValue("2.0", forKey: "downloadContentVersion")

        #expect(product.productIdentifier == "pro.monthly")
        #expect(product.localizedTitle == "Pro")
        #expect(product.localizedDescription == "Everything")
        #expect(product.price == NSDecimalNumber(string: "4.99"))
        #expect(product.priceLocale.identifier == "fr_FR")
        #expect(product.subscriptionPeriod?.unit == .year)
        #expect(product.subscriptionGroupIdentifier == "pro")
        #expect(product.introductoryPrice == SKProductDiscount())
        #expect(product.discounts.count == 1)
        #expect(product.isFamilyShareable)
        #expect(product.isDownloadable)
        #expect(product.contentLengths == [7])
        #expect(product.contentVersion == "2.0")
    }

    @Test(
        arguments: [
            NSDecimalNumber(string: "0.99"), NSNumber(value: 0.99), 0.99, Decimal(string: "0.99")!,
        ] as [any Sendable]
    )
    func `A price may be any number, and stays exact`(number: any Sendable) {
        let product = SKProduct()
        product.setValue(number, forKey: "price")
        #expect(product.price == NSDecimalNumber(string: "0.99"))
    }

    @Test func `Objective-C's classes will do for Swift's types`() {
        let product = SKProduct()
        product.setValue(NSString("coins.100"), forKey: "productIdentifier")
        product.setValue(NSLocale(localeIdentifier: "en_GB"), forKey: "priceLocale")
        product.setValue(NSNumber(value: true), forKey: "familyShareable")
        #expect(product.productIdentifier == "coins.100")
        #expect(product.priceLocale.identifier == "en_GB")
        #expect(product.isFamilyShareable)
    }

    @Test func `Optional properties can be set to nil again`() {
        let product = SKProduct(productIdentifier: "a", subscriptionGroupIdentifier: "group")
        product.setValue(nil, forKey: "subscriptionGroupIdentifier")
        #expect(product.subscriptionGroupIdentifier == nil)
        #expect(product.value(forKey: "subscriptionGroupIdentifier") == nil)
    }

    @Test func `Reading by key goes through a subclass's getter, and gives numbers for enumerations`() {
        final class Mock: SKProduct, @unchecked Sendable {
            override var localizedTitle: String { "from the mock" }
        }
        #expect(Mock().value(forKey: "localizedTitle") as? String == "from the mock")
        let period = SKProductSubscriptionPeriod(numberOfUnits: 3, unit: .month)
        #expect(period.value(forKey: "unit") as? UInt == 2)
        #expect(period.value(forKey: "numberOfUnits") as? Int == 3)
    }

    @Test func `A key path leads through objects, and what is set through nil is lost`() {
        let product = SKProduct(
            productIdentifier: "a",
            subscriptionPeriod: SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .week)
        )
        product.setValue(4, forKeyPath: "subscriptionPeriod.numberOfUnits")
        #expect(product.value(forKeyPath: "subscriptionPeriod.numberOfUnits") as? Int == 4)
        let plain = SKProduct()
        plain.setValue(4, forKeyPath: "subscriptionPeriod.numberOfUnits")
        #expect(plain.value(forKeyPath: "subscriptionPeriod.numberOfUnits") == nil)
    }

    @Test func `Discounts, periods, storefronts and responses take keys too`() {
        let discount = SKProductDiscount()
        discount.setValue("offer", forKey: "identifier")
        discount.setValue(SKProductDiscount.PaymentMode.payUpFront, forKey: "paymentMode")
        discount.setValue(1, forKey: "type")
        discount.setValue(6, forKey: "numberOfPeriods")
        discount.setValue(NSDecimalNumber(value: 2), forKey: "price")
        discount.setValue(Locale(identifier: "ja_JP"), forKey: "priceLocale")
        discount.setValue(SKProductSubscriptionPeriod(numberOfUnits: 1, unit: .day), forKey: "subscriptionPeriod")
        #expect(discount.identifier == "offer")
        #expect(discount.paymentMode == .payUpFront)
        #expect(discount.type == .subscription)
        #expect(discount.numberOfPeriods == 6)
        #expect(discount.price == 2)
        #expect(discount.priceLocale.identifier == "ja_JP")
        #expect(discount.subscriptionPeriod.numberOfUnits == 1)

        let period = SKProductSubscriptionPeriod()
        period.setValue(SKProduct.PeriodUnit.year.rawValue, forKey: "unit")
        period.setValue(2, forKey: "numberOfUnits")
        #expect(period == SKProductSubscriptionPeriod(numberOfUnits: 2, unit: .year))

        let storefront = SKStorefront()
        storefront.setValue("FRA", forKey: "countryCode")
        storefront.setValue("143442", forKey: "identifier")
        #expect(storefront == SKStorefront(countryCode: "FRA", identifier: "143442"))

        let response = SKProductsResponse()
        response.setValue([SKProduct(productIdentifier: "a")], forKey: "products")
        response.setValue(["b"], forKey: "invalidProductIdentifiers")
        #expect(response.products.map(\.productIdentifier) == ["a"])
        #expect(response.invalidProductIdentifiers == ["b"])
    }

    @Test func `A key that no property has stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SKProduct().setValue("x", forKey: "productIdentifer")
        }
        #expect(said(result).contains("SKProduct has no property \"productIdentifer\""))
    }

    @Test func `A value of the wrong type stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SKProduct().setValue("4.99", forKey: "price")
        }
        #expect(said(result).contains("on SKProduct takes an NSDecimalNumber, not a value of type String"))
    }

    @Test func `Nil for what is not optional stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SKMutablePayment().setValue(nil, forKey: "quantity")
        }
        #expect(said(result).contains("takes an integer, not nil"))
    }

    @Test func `A fraction is no quantity`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SKMutablePayment().setValue(1.5, forKey: "quantity")
        }
        #expect(said(result).contains("takes an integer"))
    }

    @Test func `A key path through a plain value stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SKProduct().value(forKeyPath: "price.currency")
        }
        #expect(said(result).contains("leads through \"price\""))
    }

    @Test func `Keys set on one thread while others read are seen whole`() async {
        let product = SKProduct(productIdentifier: "0")
        await withTaskGroup(of: Bool.self) { group in
            for number in 1...8 {
                group.addTask {
                    product.setValue(String(repeating: "\(number)", count: 40), forKey: "productIdentifier")
                    return Set(product.productIdentifier).count == 1
                }
            }
            for await whole in group { #expect(whole) }
        }
    }
}
