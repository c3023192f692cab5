import Foundation
import StoreCore
import Testing

/// The encoded forms of products that older backends and ledgers hold.
@Suite struct EncodedProductTests {
    @Test func `A description of before kinds and groups' names decodes without them`() throws {
        let text = """
            {"identifier": "gold", "localizedTitle": "Gold", "localizedDescription": "", "price": 5,
             "priceLocaleIdentifier": "en_US@currency=USD", "isFamilyShareable": true,
             "subscription": {"period": {"unit": 2, "count": 1}, "groupIdentifier": "metals", "promotionalOffers": []}}
            """
        let product = try JSONDecoder().decode(StoreProduct.self, from: Data(text.utf8))
        let expected = StoreProduct(
            identifier: "gold",
            localizedTitle: "Gold",
            localizedDescription: "",
            price: 5,
            priceLocaleIdentifier: "en_US@currency=USD",
            subscription: .init(period: .init(1, .month), groupIdentifier: "metals"),
            isFamilyShareable: true
        )
        #expect(product == expected)
        #expect(product.kind == nil)
        #expect(product.subscription?.groupLevel == nil)
        #expect(product.subscription?.winBackOffers == [])
        #expect(product.subscription?.billingPlans == [])
    }

    @Test func `A description keeps every field when encoded`() throws {
        let product = StoreProduct(
            identifier: "gold",
            localizedTitle: "Gold",
            localizedDescription: "Shiny",
            price: 5,
            priceLocaleIdentifier: "en_US@currency=USD",
            subscription: .init(
                period: .init(1, .month),
                groupIdentifier: "metals",
                groupLevel: 2,
                groupName: "Metals",
                winBackOffers: [
                    .init(identifier: "back", price: 1, paymentMode: .payUpFront, period: .init(1, .month))
                ],
                billingPlans: [.init(plan: .upFront, price: 5, commitmentPrice: 5)]
            ),
            kind: .autoRenewable,
            internalIdentifier: "0A1B2C3D"
        )
        let decoded = try JSONDecoder().decode(StoreProduct.self, from: JSONEncoder().encode(product))
        #expect(decoded == product)
        #expect(decoded.internalIdentifier == "0A1B2C3D")
        #expect(decoded.subscription?.groupName == "Metals")
    }

    @Test func `A description says that a product is generic, and says nothing else of any other`() throws {
        func encoded(isAdvancedCommerce: Bool) throws -> Data {
            let product = StoreProduct(
                identifier: "gold",
                localizedTitle: "Gold",
                localizedDescription: "",
                price: 5,
                priceLocaleIdentifier: "en_US@currency=USD",
                isAdvancedCommerce: isAdvancedCommerce
            )
            return try JSONEncoder().encode(product)
        }
        let (generic, plain) = (try encoded(isAdvancedCommerce: true), try encoded(isAdvancedCommerce: false))
        #expect(try JSONDecoder().decode(StoreProduct.self, from: generic).isAdvancedCommerce)
        #expect(try !JSONDecoder().decode(StoreProduct.self, from: plain).isAdvancedCommerce)
        #expect(!String(decoding: plain, as: UTF8.self).contains("dvancedCommerce"))
    }

    @Test func `A registered subscription of before groups' names decodes without one`() throws {
        let text = """
            {"identifier": "gold", "kind": "autoRenewable", "referenceName": "gold", "price": 5, "localizations": [],
             "isFamilyShareable": false, "subscription": {
               "groupIdentifier": "metals", "level": 1, "period": {"unit": 2, "count": 1}, "introductoryOffers": [],
               "promotionalOffers": [], "codeOffers": [], "winBackOffers": []}}
            """
        let product = try JSONDecoder().decode(SandboxProduct.self, from: Data(text.utf8))
        #expect(product == .autoRenewable("gold", price: "5", period: .init(1, .month), group: "metals"))
        #expect(product.subscription?.groupName == nil)
    }

    @Test func `A registered subscription keeps its group's name and texts when encoded`() throws {
        var product = SandboxProduct.autoRenewable("gold", price: "5", period: .init(1, .month), group: "metals")
        product.subscription?.groupName = "Metals"
        product.subscription?.groupLocalizations = [.init(locale: "de_DE", title: "Metalle")]
        product.subscription?.billingPlans = [.init(plan: .monthly, price: 1, commitmentPrice: 12)]
        let decoded = try JSONDecoder().decode(SandboxProduct.self, from: JSONEncoder().encode(product))
        #expect(decoded == product)
    }

    @Test func `A payment without an offer or a date is encoded as before there were any`() throws {
        let payment = StorePayment(productIdentifier: "gold", applicationUsername: "ann")
        let data = try JSONEncoder().encode(payment)
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Set(object.keys) == ["productIdentifier", "quantity", "applicationUsername"])
    }

    @Test func `A payment keeps its offer and its date when encoded`() throws {
        var payment = StorePayment(productIdentifier: "gold")
        payment.offer = StoreOffer(kind: .promotional, identifier: "winter", proof: "a.b.c")
        payment.purchaseDate = Date(timeIntervalSince1970: 1_700_000_000)
        payment.renewsUntilNow = true
        payment.billingPlan = .monthly
        let decoded = try JSONDecoder().decode(StorePayment.self, from: JSONEncoder().encode(payment))
        #expect(decoded == payment)
        #expect(decoded.offer == StoreOffer(kind: .promotional, identifier: "winter", proof: "a.b.c"))
        #expect(decoded.purchaseDate == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(decoded.renewsUntilNow)
        #expect(decoded.billingPlan == .monthly)
    }

    @Test func `A payment whose offer and date are taken away equals one that never had any`() {
        var payment = StorePayment(productIdentifier: "gold")
        payment.offer = StoreOffer(kind: .winBack, identifier: "back")
        payment.purchaseDate = .distantPast
        payment.renewsUntilNow = true
        #expect(payment != StorePayment(productIdentifier: "gold"))
        payment.offer = nil
        payment.purchaseDate = nil
        payment.renewsUntilNow = false
        #expect(payment == StorePayment(productIdentifier: "gold"))
    }
}
