import Foundation
import StoreCore
import Testing

/// A `.storekit` file out of a public repository, and what it says (see Resources/storekit/SOURCES.md).
struct RealFile: Sendable, CustomTestStringConvertible {
    struct Offer: Equatable, Sendable {
        enum Kind { case introductory, promotional, code, winBack }
        var kind: Kind
        var identifier: String?
        var mode: StoreProduct.Offer.PaymentMode
        var price: Decimal
        var period: StoreProduct.Period
        var count = 1
    }

    var name: String
    var version: String
    var identifier: String?
    /// Consumables, non-consumables, non-renewing, auto-renewable.
    var counts: [Int]
    var groups: [String]
    /// One of its products.
    var product: String
    var price: String
    var title: String
    var period: StoreProduct.Period?
    var level: Int?
    /// All offers of that product, in the order of the kinds above.
    var offers: [Offer] = []

    var testDescription: String { name }

    static func url(_ name: String) -> URL {
        Bundle.module.bundleURL.appending(path: "Resources/storekit/\(name).storekit")
    }

    static func load(_ name: String) throws -> StoreConfiguration { try StoreConfiguration(contentsOf: url(name)) }

    static let all: [RealFile] = [
        RealFile(
            name: "format-6",
            version: "6.3",
            identifier: "6E112E1A",
            counts: [0, 1, 0, 0],
            groups: ["E6F94E48"],
            product: "com.example.lifetime",
            price: "49.98",
            title: "Lifetime"
        ),
        RealFile(
            name: "RevenueCat__purchases-ios__LocalKhepri",
            version: "4.0",
            identifier: "KHEPRI001",
            counts: [0, 1, 0, 2],
            groups: ["KHEPRIGRP"],
            product: "com.revenuecat.annual_39.99.2_week_intro",
            price: "39.99",
            title: "Annual",
            period: .init(1, .year),
            level: 2,
            offers: [.init(kind: .introductory, mode: .freeTrial, price: 0, period: .init(2, .week))]
        ),
        RealFile(
            name: "RevenueCat__purchases-ios__UnitTestsConfiguration",
            version: "5.0",
            identifier: "B495CDA2",
            counts: [1, 1, 1, 4],
            groups: ["7096FF06", "4BB746BD"],
            product: "com.revenuecat.monthly_4.99.1_week_intro",
            price: "4.99",
            title: "Monthly Free Trial",
            period: .init(1, .month),
            level: 1,
            offers: [
                .init(kind: .introductory, mode: .freeTrial, price: 0, period: .init(3, .month)),
                .init(
                    kind: .promotional,
                    identifier: "com.revenuecat.monthly_4.99.1_week_intro.year_discount",
                    mode: .payUpFront,
                    price: Decimal(string: "40.99")!,
                    period: .init(1, .year)
                ),
                .init(
                    kind: .promotional,
                    identifier: "com.revenuecat.monthly_4.99.1_week_intro.pay_as_you_go",
                    mode: .payAsYouGo,
                    price: Decimal(string: "20.15")!,
                    period: .init(1, .month),
                    count: 2
                ),
            ]
        ),
        RealFile(
            name: "RevenueCat__storekit2-demo-app__Step1Configuration",
            version: "2.0",
            identifier: "C3B6126D",
            counts: [0, 1, 0, 2],
            groups: ["297B9B5E"],
            product: "pro_monthly",
            price: "1.99",
            title: "Monthly Sub",
            period: .init(1, .month),
            level: 2
        ),
        RealFile(
            name: "apple__sample-backyard-birds__Store",
            version: "3.0",
            identifier: "DD874EC3",
            counts: [6, 0, 0, 3],
            groups: ["6F3A93AB"],
            product: "pass.individual",
            price: "4.99",
            title: "Individual",
            period: .init(1, .month),
            level: 3,
            offers: [.init(kind: .introductory, mode: .freeTrial, price: 0, period: .init(1, .month))]
        ),
        RealFile(
            name: "apple__sample-food-truck__Products",
            version: "2.0",
            identifier: "8165582C",
            counts: [0, 1, 0, 2],
            groups: ["20947887"],
            product: "socialfeedplus.monthly",
            price: "4.99",
            title: "Social Feed+ Monthly Plan",
            period: .init(1, .month),
            level: 1,
            offers: [
                .init(
                    kind: .introductory,
                    mode: .payAsYouGo,
                    price: Decimal(string: "2.49")!,
                    period: .init(1, .month),
                    count: 3
                ),
                .init(kind: .code, identifier: "Free month", mode: .freeTrial, price: 0, period: .init(1, .month)),
            ]
        ),
        RealFile(
            name: "flutter__packages__Configuration",
            version: "1.0",
            identifier: nil,
            counts: [1, 1, 0, 2],
            groups: ["D0FEE8D8"],
            product: "subscription_gold",
            price: "5.99",
            title: "Subscription Gold",
            period: .init(1, .month),
            level: 2
        ),
        RealFile(
            name: "flutter__packages__Configuration_2",
            version: "4.0",
            identifier: "6073E9A3",
            counts: [2, 1, 0, 3],
            groups: ["D0FEE8D8", "5D664105", "3B74452E"],
            product: "subscription_silver",
            price: "4.99",
            title: "Subscription Silver",
            period: .init(1, .week),
            level: 1,
            offers: [
                .init(
                    kind: .promotional,
                    identifier: "subscription_silver_big_promo",
                    mode: .payAsYouGo,
                    price: Decimal(string: "0.99")!,
                    period: .init(1, .week)
                ),
                .init(
                    kind: .winBack,
                    identifier: "subscription_silver_winback_offer",
                    mode: .payAsYouGo,
                    price: Decimal(string: "0.99")!,
                    period: .init(1, .week)
                ),
            ]
        ),
        RealFile(
            name: "jaywcjlove__StoreKitHelper__Configuration",
            version: "5.0",
            identifier: "8F3F5875",
            counts: [0, 1, 0, 1],
            groups: ["DD979BE3"],
            product: "test.monthly",
            price: "0.99",
            title: "All Access Monthly",
            period: .init(1, .month),
            level: 1,
            offers: [.init(kind: .code, identifier: "www", mode: .freeTrial, price: 0, period: .init(1, .month))]
        ),
        RealFile(
            name: "jinSasaki__InAppPurchase__Configuration",
            version: "1.1",
            identifier: "FF65ED15",
            counts: [1, 1, 0, 1],
            groups: ["17A967FE"],
            product: "jp.sasakky.subscription.weekly",
            price: "10",
            title: "",
            period: .init(1, .week),
            level: 1
        ),
        RealFile(
            name: "nicolaischneider__StoreKitTheKit__test_store",
            version: "4.0",
            identifier: "CBAED9B1",
            counts: [2, 1, 1, 2],
            groups: ["DC075F47"],
            product: "com.nicolaischneider.premiumpass.thirty",
            price: "5.99",
            title: "",
            period: nil,
            level: nil
        ),
        RealFile(
            name: "space-code__flare__Flare",
            version: "3.0",
            identifier: "95D98A48",
            counts: [0, 1, 0, 4],
            groups: ["C3C61FEC"],
            product: "com.flare.monthly_1.99_two_weeks_offer.free",
            price: "0.99",
            title: "",
            period: .init(1, .month),
            level: 1,
            offers: [
                .init(
                    kind: .promotional,
                    identifier: "subscription_3_offer",
                    mode: .freeTrial,
                    price: 0,
                    period: .init(2, .week)
                )
            ]
        ),
        RealFile(
            name: "superwall__Superwall-iOS__Superwall_Advanced-Products",
            version: "5.0",
            identifier: "88130D01",
            counts: [0, 0, 0, 2],
            groups: ["49A58F4B"],
            product: "superwall_pro_3999",
            price: "39.99",
            title: "Pro Subscription",
            period: .init(1, .year),
            level: 2
        ),
    ]
}
