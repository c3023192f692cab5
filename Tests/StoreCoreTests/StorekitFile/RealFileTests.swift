import Foundation
import StoreCore
import Testing

@Suite struct RealFileTests {
    @Test(arguments: RealFile.all)
    func `Files that Xcode wrote say what is in them`(file: RealFile) throws {
        let configuration = try RealFile.load(file.name)

        #expect(configuration.version.description == file.version)
        #expect(configuration.identifier == file.identifier)
        let kinds: [SandboxProduct.Kind] = [.consumable, .nonConsumable, .nonRenewing, .autoRenewable]
        #expect(kinds.map { kind in configuration.products.count { $0.kind == kind } } == file.counts)
        #expect(configuration.subscriptionGroups.map(\.identifier) == file.groups)

        let product = try #require(configuration.products.first { $0.identifier == file.product })
        #expect(product.price == Decimal(string: file.price))
        #expect(product.localizations.first?.title == file.title)
        #expect(product.subscription?.period == file.period)
        #expect(product.subscription?.level == file.level)
        #expect(Self.offers(of: product) == file.offers)
    }

    @Test(arguments: RealFile.all)
    func `Subscriptions are in exactly one group, and the groups know them`(file: RealFile) throws {
        let configuration = try RealFile.load(file.name)
        let listed = configuration.subscriptionGroups.flatMap { group in
            group.productIdentifiers.map { [$0, group.identifier] }
        }
        let claimed = configuration.products.compactMap { product in
            product.subscription.map { [product.identifier, $0.groupIdentifier] }
        }
        #expect(listed == claimed)
    }

    @Test func `Nothing is missing from the table of real files`() throws {
        let directory = RealFile.url("x").deletingLastPathComponent()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".storekit") }
            .map { String($0.dropLast(".storekit".count)) }
        #expect(Set(names) == Set(RealFile.all.map(\.name)))
    }

    @Test func `A code offer says who may redeem it and whether it can follow an introductory offer`() throws {
        let products = try RealFile.load("apple__sample-food-truck__Products").products
        let yearly = try #require(products.first { $0.identifier == "socialfeedplus.yearly" }?.subscription)
        let monthly = try #require(products.first { $0.identifier == "socialfeedplus.monthly" }?.subscription)
        #expect(yearly.offerCodes.map(\.eligibility) == [.new])
        #expect(yearly.offerCodes.map(\.isStackable) == [false])
        #expect(monthly.offerCodes.map(\.eligibility) == [.all])
        #expect(monthly.offerCodes.map(\.isStackable) == [true])
    }

    @Test func `A win-back offer says whether the sandbox's users are eligible`() throws {
        let products = try RealFile.load("flutter__packages__Configuration_2").products
        let silver = try #require(products.first { $0.identifier == "subscription_silver" }?.subscription)
        #expect(silver.winBackOffers.map(\.isEligible) == [true])
        #expect(silver.winBackOffers.map(\.offer.referenceName) == ["Win Back Offer"])
    }

    @Test func `Promotional offers that share an identifier are all kept, in order`() throws {
        let products = try RealFile.load("space-code__flare__Flare").products
        let full = try #require(products.first { $0.identifier == "com.flare.monthly_0.99.1_week_intro" })
        let offers = try #require(full.subscription).promotionalOffers
        #expect(offers.map(\.terms.identifier) == Array(repeating: full.identifier, count: 3))
        #expect(offers.map(\.terms.paymentMode) == [.payAsYouGo, .payUpFront, .freeTrial])
    }

    @Test func `Offers that share an identifier are reported with their places, and nothing else of the real files is`()
        throws
    {
        for name in RealFile.all.map(\.name) where !name.contains("flare") {
            let warnings = try RealFile.load(name).warnings
            #expect(warnings.isEmpty, "\(name): \(warnings)")
        }
        let list = "subscriptionGroups[0].subscriptions[3].adHocOffers"
        let found =
            #"expected an identifier of its own, found "com.flare.monthly_0.99.1_week_intro", which \#(list)[0] has too"#
        let warnings = try RealFile.load("space-code__flare__Flare").warnings
        #expect(warnings.map(\.path) == ["\(list)[1].offerID", "\(list)[2].offerID"])
        let reason = "\(found); no purchase reaches it"
        #expect(warnings.map(\.reason) == [reason, reason])
    }

    @Test(arguments: [("codeOffers", "referenceName"), ("winbackOffers", "offerID")])
    func `Offers of one identifier are reported in every list`(list: String, key: String) throws {
        let offer = #"{"\#(key)": "x", "paymentMode": "free", "subscriptionPeriod": "P1W"}"#
        let content = """
            {"version": {"major": 4}, "subscriptionGroups": [{"id": "g", "subscriptions": [{"productID": "a", \
            "displayPrice": "1", "recurringSubscriptionPeriod": "P1M", "\(list)": [\(offer), \(offer)]}]}]}
            """
        let configuration = try StoreConfiguration(data: Data(content.utf8), name: "Shop.storekit")
        #expect(configuration.warnings.map(\.path) == ["subscriptionGroups[0].subscriptions[0].\(list)[1].\(key)"])
    }

    @Test func `B141: Family sharing is read for each product`() throws {
        let products = try RealFile.load("apple__sample-backyard-birds__Store").products
        let shareable = products.filter(\.isFamilyShareable).map(\.identifier)
        #expect(shareable == ["pass.family", "pass.premium"])
    }

    @Test func `A product without a reference name is called by its identifier`() throws {
        let product = try #require(RealFile.load("space-code__flare__Flare").products.first)
        #expect(product.referenceName == "com.flare.test_non_consumable_purchase_1")
    }

    @Test func `Texts are kept in every language`() throws {
        let products = try RealFile.load("jaywcjlove__StoreKitHelper__Configuration").products
        let monthly = try #require(products.first { $0.identifier == "test.monthly" })
        #expect(monthly.localizations.map(\.locale) == ["en_US", "zh_Hans"])
        #expect(monthly.localizations[1].title == "全功能包月")
    }

    @Test func `B204: A file that says nothing of its settings has Xcode's defaults`() throws {
        let settings = try RealFile.load("flutter__packages__Configuration").settings
        #expect(settings == StoreConfiguration.Settings())
        #expect(settings.storefront == "USA")
        #expect(settings.locale == "en_US")
        #expect(settings.timeRate == 0)
        #expect(!settings.isAskToBuyEnabled && !settings.areDialogsDisabled && !settings.areTransactionFailuresEnabled)
        #expect(!settings.areInterruptedPurchasesEnabled && !settings.isBillingRetryOnRenewalEnabled)
        #expect(!settings.isBillingGracePeriodEnabled)
    }

    @Test func `The errors chosen in Xcode's menus are remembered while they are off`() throws {
        let settings = try RealFile.load("nicolaischneider__StoreKitTheKit__test_store").settings
        #expect(settings.timeRate == 1002)
        #expect(settings.compatibilityTimeRates == [3: 6])
        #expect(settings.forcedErrors.count == 9)
        let load = try #require(settings.forcedErrors.first)
        #expect(load.operation == "Load Products")
        #expect(!load.isEnabled)
        #expect(load.choice == .init(type: "generic", index: 2))
        #expect(settings.forcedErrors[1].choice == nil)
    }

    private static func offers(of product: SandboxProduct) -> [RealFile.Offer] {
        guard let subscription = product.subscription else { return [] }
        func read(_ offers: [SandboxProduct.Offer], _ kind: RealFile.Offer.Kind) -> [RealFile.Offer] {
            offers.map { offer in
                RealFile.Offer(
                    kind: kind,
                    identifier: offer.terms.identifier,
                    mode: offer.terms.paymentMode,
                    price: offer.terms.price,
                    period: offer.terms.period,
                    count: offer.terms.periodCount
                )
            }
        }
        return read(subscription.introductoryOffers, .introductory)
            + read(subscription.promotionalOffers, .promotional)
            + read(subscription.offerCodes.map(\.offer), .code)
            + read(subscription.winBackOffers.map(\.offer), .winBack)
    }
}
