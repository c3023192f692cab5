import Foundation
import StoreCore
import Testing

/// What a file has that does not prevent its use: read all the same, and named with its place.
@Suite struct WarningTests {
    private func read(_ content: String) throws -> StoreConfiguration {
        try StoreConfiguration(data: Data(content.utf8), name: "Shop.storekit")
    }

    private func warnings(_ content: String) throws -> [String] {
        try read(content).warnings.map { "\($0.path): \($0.reason)" }
    }

    @Test func `An unknown key is named with its place, and with the key that may have been meant`() throws {
        let lines = try warnings(
            """
            {"version": {"major": 5, "minor": 0, "patch": 1}, "identifer": "A", "bundles": [{"x": 1}],
             "settings": {"_timerate": 6, "_new": {"a": 1}, "_storeKitErrors": [{"name": "Purchase", "enable": true}]},
             "products": [
               {"productID": "a", "type": "Consumable", "displayPrice": "1", "winbackOffers": [{"any": 1}]},
               {"productID": "b", "type": "Consumable", "displayPrice": "1",
                "localizations": [{"locale": "en_US", "displayname": "B"}]},
               {"productID": "c", "type": "NonConsumable", "displayPrice": "1", "familySharable": true}],
             "subscriptionGroups": [{"id": "g", "colour": "red", "subscriptions": [
               {"productID": "s", "displayPrice": "6", "recurringSubscriptionPeriod": "P1M", "winBackOffers": [],
                "familyShareable": false, "familySharable": true, "billingPlans": [{"isEnabled": false, "price": "1"}],
                "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W", "paymentmode": "x"},
                "adHocOffers": [{"paymentMode": "free", "subscriptionPeriod": "P1W", "offerID": "o", "offerId": "o"}]}]}]}
            """
        )
        #expect(
            lines == [
                "bundles: unknown key, ignored",
                "identifer: unknown key, ignored; did you mean identifier?",
                "products[0].winbackOffers: unknown key, ignored",
                "products[1].localizations[0].displayname: unknown key, ignored; did you mean displayName?",
                "products[2].familySharable: unknown key, ignored; did you mean familyShareable?",
                "settings._new: unknown key, ignored",
                "settings._storeKitErrors[0].enable: unknown key, ignored; did you mean enabled?",
                "settings._timerate: unknown key, ignored; did you mean _timeRate?",
                "subscriptionGroups[0].colour: unknown key, ignored",
                "subscriptionGroups[0].subscriptions[0].adHocOffers[0].offerId: unknown key, ignored",
                "subscriptionGroups[0].subscriptions[0].billingPlans[0].price: unknown key, ignored",
                "subscriptionGroups[0].subscriptions[0].familySharable: unknown key, ignored",
                "subscriptionGroups[0].subscriptions[0].introductoryOffer.paymentmode: unknown key, ignored",
                "subscriptionGroups[0].subscriptions[0].winBackOffers: unknown key, ignored; did you mean winbackOffers?",
                "version.patch: unknown key, ignored",
            ]
        )
    }

    @Test func `Keys that mean nothing to a store are known all the same`() throws {
        let lines = try warnings(
            """
            {"version": {"major": 4, "minor": 0}, "appPolicies": {"eula": "", "policies": [{"any": 1}]},
             "subscriptionOffersKeyPair": {"id": "KEY", "publicKey": "x"},
             "settings": {"_compatibilityTimeRate": {"3": 6}},
             "products": [{"productID": "a", "type": "Consumable", "displayPrice": "1", "promotionalImageID": "x"}]}
            """
        )
        #expect(lines == [])
    }

    @Test func `A warning says in one line which file it is about`() throws {
        let warning = try #require(try read(#"{"version": {"major": 4}, "x": 1}"#).warnings.first)
        #expect(warning.description == "Shop.storekit: x: unknown key, ignored")
        #expect(warning.file == "Shop.storekit")
    }

    @Test func `Configurations with the same content are equal, however they are written`() throws {
        let first = try read(#"{"version": {"major": 4}, "x": 1}"#)
        let second = try read(#"{ "x": 2, "version": {"major": 4} }"#)
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(try first != read(#"{"version": {"major": 4}, "y": 1}"#))
    }

    // MARK: Values

    @Test func `A product whose price is empty sells at 0, and is named`() throws {
        let content = """
            {"version": {"major": 4}, "products": [{"productID": "a", "type": "Consumable", "displayPrice": ""}],
             "subscriptionGroups": [{"id": "g", "subscriptions": [
               {"productID": "s", "displayPrice": "", "recurringSubscriptionPeriod": "P1M"}]}]}
            """
        let expected = BrokenFile.price
        #expect(
            try warnings(content) == [
                "products[0].displayPrice: expected \(expected), found \"\"; it sells at 0",
                "subscriptionGroups[0].subscriptions[0].displayPrice: expected \(expected), found \"\"; it sells at 0",
            ]
        )
        let store = try SandboxStore(read(content))
        try store.account.buy("a")
        try store.account.buy("s")
        #expect(try store.account.totalCharged == 0)
        #expect(try store.transactions.map(\.productIdentifier) == ["a", "s"])
    }

    @Test func `Of a locale that a product or a group has twice the first counts, and the others are named`() throws {
        let content = """
            {"version": {"major": 4}, "products": [{"productID": "a", "type": "Consumable", "displayPrice": "1",
               "localizations": [{"locale": "de", "displayName": "eins"}, {"displayName": "one"},
                                 {"locale": "de", "displayName": "zwei"}, {"locale": "en_US", "displayName": "two"}]}],
             "subscriptionGroups": [{"id": "g", "localizations": [{"locale": "de"}, {"locale": "de"}]}]}
            """
        let configuration = try read(content)
        #expect(configuration.products[0].localizations.map(\.title) == ["eins", "one"])
        #expect(configuration.subscriptionGroups[0].localizations.count == 1)
        let list = "products[0].localizations"
        #expect(
            try warnings(content) == [
                #"\#(list)[2].locale: expected a locale of its own, found "de", which \#(list)[0] has too; the first one counts"#,
                #"\#(list)[3].locale: expected a locale of its own, found "en_US", which \#(list)[1] has too; the first one counts"#,
                "subscriptionGroups[0].localizations[1].locale: expected a locale of its own, found \"de\", "
                    + "which subscriptionGroups[0].localizations[0] has too; the first one counts",
            ]
        )
        #expect(throws: Never.self) { try SandboxStore(configuration) }
    }

    // MARK: Newer formats

    @Test(arguments: [7, 8, 26]) func `A newer format is read as the newest that is known, and named`(major: Int) throws
    {
        let content = """
            {"version": {"major": \(major), "minor": 1}, "later": [], "products": [
              {"productID": "a", "type": "Consumable", "displayPrice": "1"}]}
            """
        let configuration = try read(content)
        #expect(configuration.version.description == "\(major).1")
        #expect(configuration.products.map(\.identifier) == ["a"])
        #expect(
            try warnings(content) == [
                "version.major: format \(major) is not known yet, and read as 6", "later: unknown key, ignored",
            ]
        )
    }

    @Test func `A refund request's error of format 6 is read`() throws {
        let errors = try RealFile.load("format-6").settings.forcedErrors
        #expect(errors.map(\.operation) == ["Refund Request Sheet"])
        #expect(errors.map(\.choice) == [.init(type: "refund request", index: 0)])
    }
}
