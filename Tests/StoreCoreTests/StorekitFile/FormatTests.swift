import Foundation
import StoreCore
import Testing

/// What the real files do not show.
@Suite struct FormatTests {
    private func read(_ content: String) throws -> StoreConfiguration {
        try StoreConfiguration(data: Data(content.utf8), name: "Shop.storekit")
    }

    private func subscription(_ keys: String, version: Int = 5) throws -> SandboxProduct.Subscription {
        let configuration = try read(
            """
            {"version": {"major": \(version), "minor": 0}, "subscriptionGroups": [{"id": "g", "subscriptions": [
              {"productID": "s", "displayPrice": "60", "recurringSubscriptionPeriod": "P1Y", \(keys)}
            ]}]}
            """
        )
        return try #require(configuration.products.first?.subscription)
    }

    @Test func `The smallest file of format 1.0 is an empty store`() throws {
        let configuration = try read(#"{"version": {"major": 1, "minor": 0}}"#)
        #expect(configuration.products.isEmpty)
        #expect(configuration.subscriptionGroups.isEmpty)
        #expect(configuration.identifier == nil)
        #expect(configuration.subscriptionOffersKeyPair == nil)
        #expect(configuration.settings == StoreConfiguration.Settings())
    }

    @Test func `Unknown keys are ignored everywhere`() throws {
        let configuration = try read(
            """
            {"version": {"major": 5, "minor": 9, "patch": [1]}, "bundles": [{"x": 1}], "settings": {"_new": {}},
             "products": [{"productID": "a", "type": "Consumable", "displayPrice": "1", "colour": "red",
                           "localizations": [{"locale": "en_US", "displayName": "A", "voice": 1}]}]}
            """
        )
        #expect(configuration.products.map(\.localizations.first?.title) == ["A"])
        #expect(configuration.version.minor == 9)
    }

    @Test func `Absent keys of a product have the values that Xcode leaves out`() throws {
        let product = try #require(
            read(
                #"{"version": {"major": 1}, "products": [{"productID": "a", "type": "NonConsumable", "displayPrice": "2"}]}"#
            )
            .products.first
        )
        #expect(product.kind == .nonConsumable)
        #expect(product.referenceName == "a")
        #expect(product.localizations.isEmpty)
        #expect(!product.isFamilyShareable)
        #expect(product.internalIdentifier == nil)
        #expect(product.subscription == nil)
    }

    @Test func `Absent keys of a subscription make it the highest of its group, without offers`() throws {
        let subscription = try subscription(#""localizations": []"#)
        #expect(subscription == .init(groupIdentifier: "g", level: 1, period: .init(1, .year)))
    }

    @Test func `A subscription has its group's name and texts`() throws {
        let subscription = try read(
            """
            {"version": {"major": 4}, "subscriptionGroups": [{"id": "g", "name": "Passes",
              "localizations": [{"locale": "de_DE", "displayName": "Pässe", "description": "Alle"}], "subscriptions": [
              {"productID": "s", "displayPrice": "60", "groupNumber": 2, "recurringSubscriptionPeriod": "P1Y"}]}]}
            """
        ).products.first?.subscription
        #expect(subscription?.groupName == "Passes")
        #expect(subscription?.groupLocalizations == [.init(locale: "de_DE", title: "Pässe", description: "Alle")])
        #expect(subscription?.level == 2)
    }

    @Test(arguments: [#""subscriptionGroupID": "g""#, #""subscriptionGroupID": null"#])
    func `A subscription belongs to the group it stands in, and may say so`(key: String) throws {
        #expect(try subscription(key).groupIdentifier == "g")
    }

    @Test func `Format 5.0: the list of introductory offers counts, the single offer beside it does not`() throws {
        let subscription = try subscription(
            """
            "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P3D"},
            "introductoryOffers": [
              {"paymentMode": "free", "subscriptionPeriod": "P1M", "billingPlanType": "MONTHLY"},
              {"paymentMode": "free", "subscriptionPeriod": "P1W", "billingPlanType": "BILLED_UPFRONT"}
            ]
            """
        )
        #expect(subscription.introductoryOffers.map(\.billingPlan) == [.monthly, .upFront])
        #expect(subscription.introductoryOffers.map(\.terms.period) == [.init(1, .month), .init(1, .week)])
    }

    @Test func `Format 5.0: an empty list of introductory offers leaves the single one in force`() throws {
        let subscription = try subscription(
            #""introductoryOffers": [], "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P3D"}"#
        )
        #expect(subscription.introductoryOffers.map(\.terms.period) == [.init(3, .day)])
    }

    @Test func `Format 5.0: the billing plans that are enabled are read, with both prices`() throws {
        let subscription = try subscription(
            """
            "billingPlans": [
              {"billingPlanType": "BILLED_UPFRONT", "displayPrice": "60", "commitmentDisplayPrice": "60",
               "internalID": "1261786A", "isEnabled": true},
              {"billingPlanType": "MONTHLY", "displayPrice": "5.50", "commitmentDisplayPrice": "66.00"},
              {"billingPlanType": "MONTHLY", "displayPrice": "none", "isEnabled": false},
              {"displayPrice": "59"}, {"billingPlanType": "MONTHLY", "displayPrice": "5"}
            ]
            """
        )
        #expect(subscription.billingPlans.map(\.plan) == [.upFront, .monthly, .upFront, .monthly])
        #expect(subscription.billingPlans.map(\.price) == [60, Decimal(string: "5.5"), 59, 5])
        #expect(subscription.billingPlans.map(\.commitmentPrice) == [60, 66, 59, 60])
    }

    @Test func `A free trial costs nothing, whatever price is left over in the file`() throws {
        let subscription = try subscription(
            #""introductoryOffer": {"paymentMode": "free", "displayPrice": "stale", "subscriptionPeriod": "P1W"}"#
        )
        #expect(subscription.introductoryOffers.map(\.terms.price) == [0])
    }

    @Test func `A code offer that names no customers is for all of them`() throws {
        let subscription = try subscription(
            #""codeOffers": [{"referenceName": "x", "paymentMode": "free", "subscriptionPeriod": "P1W"}]"#
        )
        #expect(subscription.offerCodes == [.init(.freeTrial(.init(1, .week), identifier: "x"), eligibility: .all)])
    }

    @Test func `Code offers of products that do not renew are free or cost their price`() throws {
        let configuration = try read(
            """
            {"version": {"major": 5}, "products": [
              {"productID": "a", "type": "Consumable", "displayPrice": "2", "codeOffers": [
                {"referenceName": "x", "paymentMode": "free", "displayPrice": "stale", "eligibility": ["new"]},
                {"referenceName": "y", "displayPrice": "1.50"},
                {"referenceName": "x", "paymentMode": "payUpFront", "displayPrice": "1", "any": 1}]}],
             "nonRenewingSubscriptions": [
              {"productID": "b", "displayPrice": "2", "codeOffers": [
                {"referenceName": "z", "paymentMode": "oneTime", "displayPrice": "1", "eligibility": []}]}]}
            """
        )
        let offers = configuration.products.map(\.offerCodes)
        #expect(offers.map { $0.map(\.identifier) } == [["x", "y", "x"], ["z"]])
        #expect(offers.map { $0.map(\.price) } == [[0, amount("1.5"), 1], [1]])
        #expect(offers.map { $0.map(\.eligibility) } == [[.new, .all, .all], [[]]])
        let warnings = configuration.warnings.map(\.path)
        #expect(warnings == ["products[0].codeOffers[2].referenceName", "products[0].codeOffers[2].any"])
    }

    @Test(arguments: [
        ("P3D", StoreProduct.Period(3, .day)), ("P1W", .init(1, .week)), ("P6M", .init(6, .month)),
        ("P1Y", .init(1, .year)), ("P9999D", .init(9999, .day)),
    ])
    func `B135: A period is a unit and how many of them`(text: String, period: StoreProduct.Period) throws {
        let configuration = try read(
            """
            {"version": {"major": 4}, "subscriptionGroups": [{"id": "g", "subscriptions": [
              {"productID": "s", "displayPrice": "60", "recurringSubscriptionPeriod": "\(text)"}]}]}
            """
        )
        #expect(configuration.products.first?.subscription?.period == period)
    }

    @Test func `Every setting is read`() throws {
        let settings = try read(
            """
            {"version": {"major": 2, "minor": 0}, "settings": {
              "_locale": "de_DE", "_storefront": "DEU", "_timeRate": 15, "_compatibilityTimeRate": 6,
              "_askToBuyEnabled": true, "_billingIssuesEnabled": true, "_renewalBillingIssuesEnabled": true,
              "_billingGracePeriodEnabled": true, "_disableDialogs": true, "_failTransactionsEnabled": true,
              "_storeKitError": 2, "_applicationInternalID": "1441423628", "_developerTeamID": "ABCDE12345",
              "_lastSynchronizedDate": 743722291.5,
              "_storeKitErrors": [
                {"name": "Purchase", "enabled": true, "current": {"type": "purchase", "index": 4}},
                {"name": "Verification"}]}}
            """
        ).settings
        var expected = StoreConfiguration.Settings()
        expected.locale = "de_DE"
        expected.storefront = "DEU"
        expected.timeRate = 15
        expected.compatibilityTimeRates = [0: 6]
        expected.isAskToBuyEnabled = true
        expected.areInterruptedPurchasesEnabled = true
        expected.isBillingRetryOnRenewalEnabled = true
        expected.isBillingGracePeriodEnabled = true
        expected.areDialogsDisabled = true
        expected.areTransactionFailuresEnabled = true
        expected.transactionFailureCode = 2
        expected.applicationInternalIdentifier = "1441423628"
        expected.developerTeamIdentifier = "ABCDE12345"
        expected.lastSynchronizedDate = Date(timeIntervalSinceReferenceDate: 743_722_291.5)
        #expect(settings.forcedErrors.map(\.operation) == ["Purchase", "Verification"])
        #expect(settings.forcedErrors.map(\.isEnabled) == [true, false])
        #expect(settings.forcedErrors.map(\.choice) == [.init(type: "purchase", index: 4), nil])
        expected.forcedErrors = settings.forcedErrors
        #expect(settings == expected)
    }

    typealias Switch = WritableKeyPath<StoreConfiguration.Settings, Bool> & Sendable

    @Test(
        arguments: [
            ("_askToBuyEnabled", \.isAskToBuyEnabled),
            ("_billingIssuesEnabled", \.areInterruptedPurchasesEnabled),
            ("_renewalBillingIssuesEnabled", \.isBillingRetryOnRenewalEnabled),
            ("_billingGracePeriodEnabled", \.isBillingGracePeriodEnabled),
            ("_disableDialogs", \.areDialogsDisabled),
            ("_failTransactionsEnabled", \.areTransactionFailuresEnabled),
        ] as [(String, any Switch)]
    )
    func `Each switch turns on one thing`(key: String, property: any Switch) throws {
        var expected = StoreConfiguration.Settings()
        expected[keyPath: property] = true
        #expect(try read(#"{"version": {"major": 3}, "settings": {"\#(key)": true}}"#).settings == expected)
    }

    @Test func `The offers key is read, and neither printing nor dumping shows it`() throws {
        let key = Data("a private key".utf8)
        let pair = try #require(
            read(
                """
                {"version": {"major": 4}, "subscriptionOffersKeyPair":
                 {"id": "0A1B2C3D", "privateKey": "\(key.base64EncodedString())"}}
                """
            ).subscriptionOffersKeyPair
        )
        #expect(pair.identifier == "0A1B2C3D")
        #expect(pair.privateKey == key)
        var dumped = ""
        dump(pair, to: &dumped)
        for text in ["\(pair)", String(reflecting: pair), dumped] {
            #expect(text.contains("0A1B2C3D"))
            #expect(!text.contains("privateKey") && !text.contains("13 bytes"))
        }
    }

    @Test func `Products come in the file's order: bought, then non-renewing, then auto-renewable`() throws {
        let identifiers = try RealFile.load("RevenueCat__purchases-ios__UnitTestsConfiguration").products
            .map(\.identifier)
        #expect(
            identifiers == [
                "lifetime", "com.revenuecat.consumable", "com.revenuecat.non_renewable",
                "com.revenuecat.monthly_4.99.1_week_intro", "com.revenuecat.annual_39.99.2_week_intro",
                "com.revenuecat.annual_with_commitment", "com.revenuecat.annual_39.99_no_trial",
            ]
        )
    }
}
