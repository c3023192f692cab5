import Foundation
import Testing

@testable import StoreCore

@Suite struct CatalogTests {
    static let sword = SandboxProduct.consumable("sword", price: "0.99", title: "Sword")
    static let shield = SandboxProduct.nonConsumable("shield", price: "1.99", title: "Shield")
    static let pro = SandboxProduct.autoRenewable(
        "pro",
        price: "4.99",
        period: .init(2, .week),
        group: "g",
        title: "Pro"
    )

    private let now = Date(timeIntervalSince1970: 1_000_000)
    private let usa = Storefronts.storefront("USA")

    private func catalog() throws -> Catalog { try Catalog([Self.sword, Self.shield, Self.pro]) }

    @Test func `Products keep the order in which they were registered`() throws {
        let catalog = try catalog()
        #expect((0..<3).map { catalog[$0].identifier } == ["sword", "shield", "pro"])
        #expect(catalog.index(of: "shield") == 1)
        #expect(catalog.index(of: "Shield") == nil)
    }

    @Test func `B117: Two products with one identifier are refused, with both places`() {
        let error = #expect(throws: CatalogError.self) {
            try Catalog([Self.sword, Self.shield, .nonRenewing("sword", price: "3")])
        }
        #expect(error?.productIdentifier == "sword")
        #expect(error?.reason == #"the product "sword" is there twice, at 0 and at 2: an identifier names one product"#)
    }

    @Test(arguments: SpoiltProduct.all)
    func `A product that was spoilt after it was made is refused`(spoilt: SpoiltProduct) throws {
        var product = Self.pro
        spoilt.spoil(&product)
        let error = CatalogError(productIdentifier: "pro", reason: "the product \"pro\" \(spoilt.sentence)")
        #expect(throws: error) { try Catalog([product]) }
    }

    @Test func `B78, B79: A look-up has a product for each valid identifier and lists the others`() throws {
        var catalog = try catalog()
        let answer = catalog.answer(["pro", "axe", "sword", ""], for: "en_US", in: usa, at: now)
        #expect(Set(answer.products.map(\.identifier)) == ["pro", "sword"])
        #expect(answer.products.count == 2)
        #expect(answer.invalidIdentifiers.sorted() == ["", "axe"])
    }

    @Test func `B79: Nothing is invalid when everything is sold`() throws {
        var catalog = try catalog()
        #expect(catalog.answer(["pro", "shield", "sword"], for: "en_US", in: usa, at: now).invalidIdentifiers == [])
    }

    @Test func `B80: Misspelt, withdrawn and not yet spread products are invalid, each with its reason`() throws {
        var catalog = try catalog()
        catalog.setAvailability(.withdrawn, of: 0)
        catalog.setAvailability(.notYetPropagated(until: now), of: 1)
        let before = now.addingTimeInterval(-1)
        let answer = catalog.answer(["sword", "shield", "sowrd", "pro"], for: "en_US", in: usa, at: before)
        #expect(answer.products.map(\.identifier) == ["pro"])
        #expect(answer.invalidIdentifiers.sorted() == ["shield", "sowrd", "sword"])
        #expect(catalog.reasonNotOnSale("sowrd", at: before) == #"no product "sowrd" is registered in this store"#)
        #expect(catalog.reasonNotOnSale("sword", at: before) == #"the product "sword" has been withdrawn from sale"#)
        #expect(
            catalog.reasonNotOnSale("shield", at: before)
                == #"the product "shield" is new and not on all servers before 1970-01-12T13:46:40Z"#
        )
        #expect(catalog.reasonNotOnSale("pro", at: before) == nil)
    }

    @Test func `B80: A new product is sold from the moment on which all servers know it`() throws {
        var catalog = try catalog()
        catalog.setAvailability(.notYetPropagated(until: now), of: 0)
        #expect(catalog.onSale("sword", at: now.addingTimeInterval(-0.001)) == nil)
        #expect(catalog.onSale("sword", at: now) == 0)
        #expect(catalog.reasonNotOnSale("sword", at: now) == nil)
    }

    @Test func `A withdrawn product keeps its number and comes back`() throws {
        var catalog = try catalog()
        catalog.setAvailability(.withdrawn, of: 0)
        #expect(catalog.index(of: "sword") == 0)
        #expect(catalog.onSale("sword", at: now) == nil)
        catalog.setAvailability(.onSale, of: 0)
        #expect(catalog.onSale("sword", at: now) == 0)
    }

    @Test func `A product registered later is found, and replaces what was described before`() throws {
        var catalog = try catalog()
        #expect(catalog.describe(0, for: "en_US", in: usa).localizedTitle == "Sword")
        catalog.register(.consumable("sword", price: "2.99", title: "Long sword"))
        catalog.register(.consumable("axe", price: "1", title: "Axe"))
        #expect(catalog.index(of: "sword") == 0)
        #expect(catalog.index(of: "axe") == 3)
        let sword = catalog.describe(0, for: "en_US", in: usa)
        #expect(sword.localizedTitle == "Long sword")
        #expect(sword.price == Decimal(string: "2.99"))
        #expect(catalog.describe(3, for: "en_US", in: usa).localizedTitle == "Axe")
    }

    @Test func `Registering a withdrawn product anew does not put it on sale`() throws {
        var catalog = try catalog()
        catalog.setAvailability(.withdrawn, of: 0)
        catalog.register(.consumable("sword", price: "2.99"))
        #expect(catalog.onSale("sword", at: now) == nil)
    }

    @Test func `B81: A description gives all that a device may know`() throws {
        var product = Self.pro
        product.isFamilyShareable = true
        product.hostedContent = .init(files: [.init(Data(count: 3)), .init(Data(count: 4), identifier: "map")])
        product.subscription?.introductoryOffers = [.freeTrial(.init(1, .week))]
        product.subscription?.promotionalOffers = [.payUpFront(price: "8.99", for: .init(3, .month), identifier: "x")]
        product.subscription?.winBackOffers = [.init(.freeTrial(.init(2, .month), identifier: "y"), isEligible: false)]
        product.subscription?.level = 3
        product.subscription?.groupName = "Groups"
        product.subscription?.billingPlans = [.init(plan: .upFront, price: 5, commitmentPrice: 5)]
        product.internalIdentifier = "0A1B2C3D"
        var catalog = try Catalog([product])
        let expected = StoreProduct(
            identifier: "pro",
            localizedTitle: "Pro",
            localizedDescription: "",
            price: Decimal(string: "4.99")!,
            priceLocaleIdentifier: "en_US@currency=USD",
            subscription: .init(
                period: .init(2, .week),
                groupIdentifier: "g",
                introductoryOffer: .init(price: 0, paymentMode: .freeTrial, period: .init(1, .week)),
                promotionalOffers: [
                    .init(
                        identifier: "x",
                        price: Decimal(string: "8.99")!,
                        paymentMode: .payUpFront,
                        period: .init(3, .month)
                    )
                ],
                groupLevel: 3,
                groupName: "Groups",
                winBackOffers: [.init(identifier: "y", price: 0, paymentMode: .freeTrial, period: .init(2, .month))],
                billingPlans: [.init(plan: .upFront, price: 5, commitmentPrice: 5)]
            ),
            isFamilyShareable: true,
            hostedContent: .init(version: "1.0", lengths: [3, 4]),
            kind: .autoRenewable,
            internalIdentifier: "0A1B2C3D"
        )
        #expect(catalog.describe(0, for: "en_US", in: usa) == expected)
    }

    @Test func `B135, B136: Only a subscription that renews by itself has a period and a group`() throws {
        let free = SandboxProduct.freeSubscription("news")
        var catalog = try Catalog([Self.sword, .nonRenewing("season", price: "9.99"), free, Self.pro])
        let subscriptions = (0..<4).map { catalog.describe($0, for: "en_US", in: usa).subscription }
        #expect(subscriptions == [nil, nil, nil, .init(period: .init(2, .week), groupIdentifier: "g", groupLevel: 1)])
    }

    @Test func `A description has one of four kinds, and a free subscription is bought for good`() throws {
        let free = SandboxProduct.freeSubscription("news")
        var catalog = try Catalog([Self.sword, Self.shield, .nonRenewing("season", price: "9.99"), Self.pro, free])
        let kinds = (0..<5).map { catalog.describe($0, for: "en_US", in: usa).kind }
        #expect(kinds == [.consumable, .nonConsumable, .nonRenewing, .autoRenewable, .nonConsumable])
    }

    @Test func `A group's name is in the device's language, and the operator's where it has no localization`() throws {
        var product = Self.pro
        product.subscription?.groupName = "Groups"
        product.subscription?.groupLocalizations = [
            .init(locale: "en_US", title: "Passes"), .init(locale: "de_DE", title: "Pässe"),
        ]
        var catalog = try Catalog([product])
        #expect(catalog.describe(0, for: "de_DE", in: usa).subscription?.groupName == "Pässe")
        #expect(catalog.describe(0, for: "en_GB", in: usa).subscription?.groupName == "Passes")
        product.subscription?.groupLocalizations = []
        catalog.register(product)
        #expect(catalog.describe(0, for: "de_DE", in: usa).subscription?.groupName == "Groups")
    }

    @Test func `B137: The introductory offer shown is the one for those who pay up front`() throws {
        var product = Self.pro
        var monthly = SandboxProduct.Offer.freeTrial(.init(1, .month))
        monthly.billingPlan = .monthly
        product.subscription?.introductoryOffers = [monthly, .freeTrial(.init(1, .week))]
        var named = SandboxProduct.Offer.freeTrial(.init(1, .month), identifier: "monthly")
        named.billingPlan = .monthly
        product.subscription?.promotionalOffers = [named, .freeTrial(.init(1, .day), identifier: "upFront")]
        product.subscription?.winBackOffers = [.init(named), .init(.freeTrial(.init(1, .day), identifier: "comeBack"))]
        var catalog = try Catalog([product])
        let subscription = catalog.describe(0, for: "en_US", in: usa).subscription
        #expect(subscription?.introductoryOffer?.period == .init(1, .week))
        #expect(subscription?.promotionalOffers.map(\.identifier) == ["upFront"])
        #expect(subscription?.winBackOffers.map(\.identifier) == ["comeBack"])
        #expect(subscription?.monthlyOffers == nil)
    }

    @Test func `The offers for those who pay monthly are shown apart`() throws {
        let month = SandboxProduct.Offer.freeTrial(.init(1, .month), identifier: "month").billedMonthly()
        var year = SandboxProduct.autoRenewable("year", price: "99.99", period: .init(1, .year), group: "g")
            .billedMonthly(price: "9.99", introductoryOffer: .freeTrial(.init(1, .week)))
        year.subscription?.promotionalOffers = [month, .freeTrial(.init(1, .day), identifier: "upFront")]
        year.subscription?.winBackOffers = [.init(month)]
        var catalog = try Catalog([year])
        let subscription = catalog.describe(0, for: "en_US", in: usa).subscription
        #expect(subscription?.billingPlans.map(\.commitmentPrice) == [amount("99.99"), amount("119.88")])
        #expect(subscription?.introductoryOffer == nil && subscription?.winBackOffers == [])
        #expect(subscription?.promotionalOffers.map(\.identifier) == ["upFront"])
        #expect(subscription?.monthlyOffers?.introductory?.period == .init(1, .week))
        #expect(subscription?.monthlyOffers?.promotional.map(\.identifier) == ["month"])
        #expect(subscription?.monthlyOffers?.winBack.map(\.identifier) == ["month"])
    }

    @Test func `Many languages in turn give each its own texts`() throws {
        var catalog = try Catalog([Self.sword.localized("de_DE", title: "Schwert")])
        let countries = Storefronts.codes.prefix(40).map { Storefronts.storefront($0) }
        for _ in 0..<2 {
            for country in countries {
                #expect(catalog.describe(0, for: "de_DE", in: country).localizedTitle == "Schwert")
                #expect(catalog.describe(0, for: "en_US", in: country).localizedTitle == "Sword")
            }
        }
    }

    @Test func `A period that outlasts every calendar is refused`() throws {
        let endless: [StoreProduct.Period] = [
            .init(.max, .month), .init(.max, .day), .init(101, .year), .init(1201, .month), .init(5219, .week),
        ]
        for period in endless {
            var product = Market.subscription("plus", level: 1, price: "4.99", .init(1, .month))
            product.subscription?.period = period
            #expect(throws: CatalogError.self) { try SandboxStore(products: [product]) }
            product.subscription?.period = .init(1, .month)
            product.subscription?.introductoryOffers = [.freeTrial(period)]
            #expect(throws: CatalogError.self) { try SandboxStore(products: [product]) }
        }
        var many = Market.subscription("plus", level: 1, price: "4.99", .init(1, .month))
        let terms = StoreProduct.Offer(price: 1, paymentMode: .payUpFront, period: .init(2, .year), periodCount: .max)
        many.subscription?.introductoryOffers = [SandboxProduct.Offer(terms: terms)]
        #expect(throws: CatalogError.self) { try SandboxStore(products: [many]) }
        let longest = Market.subscription("plus", level: 1, price: "4.99", .init(100, .year))
        #expect(throws: Never.self) { try SandboxStore(products: [longest]) }
    }
}

extension Catalog {
    /// A product as a device sees it.
    mutating func describe(_ index: ProductIndex, for locale: String, in storefront: StoreStorefront?) -> StoreProduct {
        answer([self[index].identifier], for: locale, in: storefront, at: .distantFuture).products[0]
    }
}

/// A change that leaves a product in a state that nobody can sell, and how a sentence about it ends.
struct SpoiltProduct: Sendable, CustomTestStringConvertible {
    let sentence: String
    let spoil: @Sendable (inout SandboxProduct) -> Void
    var testDescription: String { sentence }

    init(_ sentence: String, _ spoil: @escaping @Sendable (inout SandboxProduct) -> Void) {
        self.sentence = sentence
        self.spoil = spoil
    }

    static let all = [
        SpoiltProduct("renews by itself but has no subscription period") { $0.subscription = nil },
        SpoiltProduct("costs -1: a price is at least 0") { $0.price = -1 },
        SpoiltProduct("costs NaN: a price is at least 0") { $0.price = .nan },
        SpoiltProduct("costs 9223372036854775.808: a price is below 2^63 / 1000") {
            $0.price = Decimal(string: "9223372036854775.808")!
        },
        SpoiltProduct("costs \(Decimal.greatestFiniteMagnitude): a price is below 2^63 / 1000") {
            $0.price = .greatestFiniteMagnitude
        },
        SpoiltProduct("costs 0.9999: a price has at most three digits behind the point") {
            $0.price = Decimal(string: "0.9999")!
        },
        SpoiltProduct("costs 0.0004: a price has at most three digits behind the point") {
            $0.price = Decimal(string: "0.0004")!
        },
        SpoiltProduct("costs 0.0001 in DEU: a price has at most three digits behind the point") {
            $0 = $0.priced(decimalPrice: Decimal(string: "0.0001")!, in: "DEU")
        },
        SpoiltProduct("has the offer \"x\" that costs 0.0001") {
            let price = Decimal(string: "0.0001")!
            let offer = SandboxProduct.Offer.payUpFront(decimalPrice: price, for: .init(1, .month), identifier: "x")
            $0.subscription?.promotionalOffers = [offer]
        },
        SpoiltProduct("has level 0 in its subscription group: 1 is the highest") { $0.subscription?.level = 0 },
        SpoiltProduct("has a subscription period of 0 units") { $0.subscription?.period.count = 0 },
        SpoiltProduct("belongs to a subscription group without a name") { $0.subscription?.groupIdentifier = "" },
        SpoiltProduct("has a billing plan that costs -1, 12 in all") {
            $0.subscription?.billingPlans = [.init(plan: .monthly, price: -1, commitmentPrice: 12)]
        },
        SpoiltProduct("has an introductory offer that lasts no time") {
            $0.subscription?.introductoryOffers = [.freeTrial(.init(0, .day))]
        },
        SpoiltProduct("has the offer \"x\" that costs -1") {
            let offer = SandboxProduct.Offer.payUpFront(decimalPrice: -1, for: .init(1, .month), identifier: "x")
            $0.subscription?.promotionalOffers = [offer]
        },
        SpoiltProduct("has the offer \"x\", a free trial that costs something") {
            var offer = SandboxProduct.Offer.freeTrial(.init(1, .month), identifier: "x")
            offer.terms.price = 1
            $0.subscription?.winBackOffers = [.init(offer)]
        },
    ]
}
