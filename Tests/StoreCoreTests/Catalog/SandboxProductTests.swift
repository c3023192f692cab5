import Foundation
import TestSupport
import Testing

@testable import StoreCore

@Suite struct SandboxProductTests {
    @Test func `B117: A product has an identifier, a kind, texts and a price from one line`() {
        let product = SandboxProduct.consumable("sword", price: "0.99", title: "Sword", description: "Sharp.")
        #expect(product.identifier == "sword")
        #expect(product.kind == .consumable)
        #expect(product.price == Decimal(sign: .plus, exponent: -2, significand: 99))
        #expect(product.localizations == [.init(locale: "en_US", title: "Sword", description: "Sharp.")])
        #expect(product.referenceName == "sword")
        #expect(product.subscription == nil)
        #expect(!product.isFamilyShareable)
    }

    @Test func `Each kind has its line`() {
        let products: [SandboxProduct] = [
            .consumable("a", price: "1"),
            .nonConsumable("b", price: "2", isFamilyShareable: true),
            .nonRenewing("c", price: "3"),
            .autoRenewable("d", price: "4", period: .init(1, .month), group: "g", level: 2),
            .freeSubscription("e"),
        ]
        #expect(products.map(\.kind) == [.consumable, .nonConsumable, .nonRenewing, .autoRenewable, .freeSubscription])
        #expect(products.map(\.price) == [1, 2, 3, 4, 0])
        #expect(products.map(\.isFamilyShareable) == [false, true, false, false, false])
        #expect(
            products.map(\.subscription) == [
                nil, nil, nil, .init(groupIdentifier: "g", level: 2, period: .init(1, .month)), nil,
            ]
        )
    }

    @Test func `A computed price makes the same product as a written one`() {
        let price = Decimal(99) / 100
        let month = StoreProduct.Period(1, .month)
        #expect(SandboxProduct.consumable("a", decimalPrice: price) == .consumable("a", price: "0.99"))
        #expect(SandboxProduct.nonConsumable("a", decimalPrice: price) == .nonConsumable("a", price: "0.99"))
        #expect(SandboxProduct.nonRenewing("a", decimalPrice: price) == .nonRenewing("a", price: "0.99"))
        #expect(
            SandboxProduct.autoRenewable("a", decimalPrice: price, period: month, group: "g")
                == .autoRenewable("a", price: "0.99", period: month, group: "g")
        )
        #expect(
            SandboxProduct.Offer.payAsYouGo(decimalPrice: price, every: month, times: 3, identifier: "x")
                == .payAsYouGo(price: "0.99", every: month, times: 3, identifier: "x")
        )
        #expect(
            SandboxProduct.Offer.payUpFront(decimalPrice: price, for: month)
                == .payUpFront(price: "0.99", for: month)
        )
    }

    @Test func `B104, B105: Non-consumables, auto-renewable and free subscriptions can be restored, others not`() {
        let restorable = SandboxProduct.Kind.allCases.filter(\.isRestorable)
        let suites: [SandboxProduct.Kind] = [.subscriptionSuite, .subscriptionBundle]
        #expect(restorable == [.nonConsumable, .autoRenewable, .freeSubscription] + suites)
    }

    @Test func `Offers are made in one line each`() {
        let product = SandboxProduct.autoRenewable(
            "pro",
            price: "4.99",
            period: .init(1, .month),
            group: "pro",
            introductoryOffer: .freeTrial(.init(1, .week)),
            promotionalOffers: [.payAsYouGo(price: "2.49", every: .init(1, .month), times: 3, identifier: "half")],
            offerCodes: [
                .init(.payUpFront(price: "8.99", for: .init(3, .month), identifier: "SPRING"), eligibility: [.new])
            ],
            winBackOffers: [.init(.freeTrial(.init(1, .month), identifier: "back"))]
        )
        let subscription = product.subscription
        #expect(subscription?.introductoryOffers.map(\.terms.paymentMode) == [.freeTrial])
        #expect(subscription?.promotionalOffers.map(\.terms.periodCount) == [3])
        #expect(subscription?.offerCodes.map(\.offer.terms.price) == [Decimal(string: "8.99")!])
        #expect(subscription?.offerCodes.map(\.offer.referenceName) == ["SPRING"])
        #expect(subscription?.winBackOffers.map(\.isEligible) == [true])
    }

    @Test func `An offer behind a code or for lapsed subscribers is made in one step`() {
        let codes: [SandboxProduct.CodeOffer] = [
            .freeTrial(.weeks(1), identifier: "A"),
            .payAsYouGo(price: "0.99", every: .monthly, times: 3, identifier: "B", eligibility: .new),
            .payUpFront(
                price: "1.99",
                for: .everyThreeMonths,
                identifier: "C",
                eligibility: .expired,
                isStackable: true
            ),
        ]
        let offers: [SandboxProduct.Offer] = [
            .freeTrial(.init(1, .week), identifier: "A"),
            .payAsYouGo(price: "0.99", every: .init(1, .month), times: 3, identifier: "B"),
            .payUpFront(price: "1.99", for: .init(3, .month), identifier: "C"),
        ]
        #expect(codes[0] == .init(offers[0], eligibility: .all, isStackable: false))
        #expect(codes[1] == .init(offers[1], eligibility: .new, isStackable: false))
        #expect(codes[2] == .init(offers[2], eligibility: .expired, isStackable: true))

        let winBack: [SandboxProduct.WinBackOffer] = [
            .freeTrial(.weeks(1), identifier: "A"),
            .payAsYouGo(price: "0.99", every: .monthly, times: 3, identifier: "B"),
            .payUpFront(price: "1.99", for: .months(3), identifier: "C", isEligible: false),
        ]
        #expect(winBack.map(\.offer) == offers && winBack.map(\.isEligible) == [true, true, false])
    }

    @Test func `Periods have Store Kit's names, and lengths by count`() {
        let named: [StoreProduct.Period] = [
            .weekly, .monthly, .yearly, .everyThreeDays, .everyTwoWeeks, .everyTwoMonths, .everyThreeMonths,
            .everySixMonths,
        ]
        #expect(named.map(\.iso8601) == ["P1W", "P1M", "P1Y", "P3D", "P2W", "P2M", "P3M", "P6M"])
        let counted: [StoreProduct.Period] = [.days(4), .weeks(5), .months(6), .years(7)]
        #expect(counted.map(\.iso8601) == ["P4D", "P5W", "P6M", "P7Y"])
    }

    @Test func `Texts in further languages are added, and replaced in those it has`() {
        let product = SandboxProduct.consumable("sword", price: "1", title: "Sword")
            .localized("de_DE", title: "Schwert")
            .localized("de_DE", title: "Degen", description: "Spitz.")
        #expect(product.localizations.map(\.locale) == ["en_US", "de_DE"])
        #expect(product.localizations[1] == .init(locale: "de_DE", title: "Degen", description: "Spitz."))
    }

    @Test func `A product survives being encoded, its price to the last digit`() throws {
        let product = SandboxProduct.autoRenewable(
            "pro",
            price: "922337203685477.807",
            period: .init(1, .month),
            group: "pro",
            title: "Pro",
            introductoryOffer: .payAsYouGo(price: "0.1", every: .init(1, .month)),
            offerCodes: [.init(.freeTrial(.init(1, .week), identifier: "x"), eligibility: [.expired])]
        )
        let copy = try JSONDecoder().decode(SandboxProduct.self, from: JSONEncoder().encode(product))
        #expect(copy == product)
    }

    @Test(arguments: [
        ("0.99", Decimal(99) / 100), ("60", 60), ("0", 0), ("007.50", Decimal(75) / 10),
        ("0.000001", 1 / Decimal(1_000_000)),
        ("123456789012345678", Decimal(string: "123456789012345678")!),
    ])
    func `B83: A written price is read digit by digit`(text: String, price: Decimal) throws {
        #expect(try ExactPrice.read(text) == price)
        #expect(try ExactPrice.read(text).hashValue == price.hashValue)
    }

    @Test(arguments: ["", "-", ".", ".5", "5.", "1.2.3", "+1", "1e2", " 1", "1 ", "1,5", "--1", "1-", "٣", "NaN"])
    func `What is no price is not taken for one`(text: String) {
        #expect(throws: ExactPrice.Fault.malformed) { try ExactPrice.read(text) }
    }

    @Test func `A negative price and one of too many digits say so`() {
        #expect(throws: ExactPrice.Fault.negative) { try ExactPrice.read("-0.01") }
        #expect(throws: ExactPrice.Fault.tooLong) { try ExactPrice.read("1234567890123456789") }
    }
}

@Suite(.promptly) struct SandboxProductMistakeTests {
    @Test func `A bad price in the program stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SandboxProduct.consumable("sword", price: "0,99")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(#""0,99" is no price for the product "sword": write digits, at most 18"#))
    }

    private static let sword = SandboxProduct.consumable("sword", price: "1")

    /// Each call that takes a price as a text, with its line.
    private static let prices: [(line: Int, call: @Sendable () -> Void)] = [
        (#line, { _ = SandboxProduct.consumable("a", price: "0,99") }),
        (#line, { _ = SandboxProduct.nonConsumable("a", price: "0,99") }),
        (#line, { _ = SandboxProduct.nonRenewing("a", price: "0,99") }),
        (#line, { _ = SandboxProduct.autoRenewable("a", price: "0,99", period: month, group: "g") }),
        (#line, { _ = SandboxProduct.subscriptionSuite("a", price: "0,99", period: month, group: "g") }),
        (#line, { _ = SandboxProduct.subscriptionBundle("a", price: "0,99", period: month, group: "g", members: []) }),
        (#line, { _ = sword.priced("0,99", in: "DEU") }),
        (#line, { _ = sword.billedMonthly(price: "0,99") }),
        (#line, { _ = sword.redeemable(with: "GIFT", price: "0,99") }),
        (#line, { _ = SandboxProduct.Offer.payAsYouGo(price: "0,99", every: month) }),
        (#line, { _ = SandboxProduct.Offer.payUpFront(price: "0,99", for: month) }),
        (#line, { try? SandboxStore(products: [sword]).raisePrice(of: "sword", to: "0,99") }),
    ]

    @Test(arguments: prices.indices)
    func `A price in a wrong form stops the process at the file and line of the call`(number: Int) async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
            SandboxProductMistakeTests.prices[number].call()
        }
        let place = "StoreCoreTests/SandboxProductTests.swift:\(Self.prices[number].line): "
        #expect(said(result).contains("\(place)Fatal error: \"0,99\" is no price for "))
    }

    @Test func `A product that cannot be stops the process at the file and line of the call`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SandboxProductMistakeTests.sword.hosting([], file: "Shop.swift", line: 7)
        }
        #expect(said(result).contains("Shop.swift:7: Fatal error: the product \"sword\" hosts content without a file"))
    }

    @Test func `An empty identifier stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SandboxProduct.freeSubscription("")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(#"the product "" has no identifier"#))
    }

    @Test func `A negative computed price stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SandboxProduct.consumable("sword", decimalPrice: -1)
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(#"the product "sword" costs -1: a price is at least 0"#))
    }

    @Test func `A promotional offer without an identifier stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = SandboxProduct.autoRenewable(
                "pro",
                price: "1",
                period: .init(1, .month),
                group: "pro",
                promotionalOffers: [.freeTrial(.init(1, .week))]
            )
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(#"the product "pro" has an offer without an identifier that is not introductory"#))
    }

    private static let month = StoreProduct.Period(1, .month)

    /// Each mistake that stops the process, with the product and the beginning of its sentence.
    private static let mistakes: [(@Sendable () -> Void, product: String, sentence: String)] = [
        ({ _ = SandboxProduct.consumable("a", price: "1,99") }, "a", #""1,99" is no price for the product "a""#),
        ({ _ = SandboxProduct.nonConsumable("a", price: "") }, "a", #""" is no price for the product "a""#),
        ({ _ = SandboxProduct.nonRenewing("a", price: "-1") }, "a", #""-1" is no price for the product "a""#),
        (
            { _ = SandboxProduct.autoRenewable("a", price: "x", period: month, group: "g") }, "a",
            #""x" is no price for the product "a""#
        ),
        (
            { _ = SandboxProduct.autoRenewable("a", price: "1", period: month, group: "") }, "a",
            #"the product "a" belongs to a subscription group without a name"#
        ),
        ({ _ = SandboxProduct.freeSubscription("") }, "", #"the product "" has no identifier"#),
        ({ _ = SandboxProduct.consumable("a", decimalPrice: -1) }, "a", #"the product "a" costs -1"#),
        (
            { _ = SandboxProduct.consumable("a", price: "1").priced("1,5", in: "DEU") }, "a",
            #""1,5" is no price for the product "a" in DEU"#
        ),
        (
            { _ = SandboxProduct.nonConsumable("a", price: "1").hosting([]) }, "a",
            #"the product "a" hosts content without a file"#
        ),
        (
            { _ = SandboxProduct.Offer.payAsYouGo(price: "x", every: month, identifier: "half") }, "",
            #""x" is no price for the offer "half""#
        ),
        (
            { _ = SandboxProduct.Offer.payUpFront(price: "x", for: month) }, "",
            #""x" is no price for an introductory offer"#
        ),
    ]

    @Test(arguments: mistakes.indices)
    func `What stops the process is thrown where the description is made to throw`(number: Int) throws {
        let (describe, product, sentence) = Self.mistakes[number]
        let error = try #require(throws: CatalogError.self) { try SandboxProduct.makeThrowing(describe) }
        #expect(error.productIdentifier == product)
        #expect(error.description.hasPrefix(sentence))
    }

    @Test func `Of several mistakes the first is thrown, and a sound description is returned`() throws {
        let error = #expect(throws: CatalogError.self) {
            try SandboxProduct.makeThrowing {
                [.consumable("a", price: "1,5"), SandboxProduct.consumable("b", price: "")]
            }
        }
        #expect(error?.productIdentifier == "a")
        let sword: SandboxProduct = try .makeThrowing { .consumable("sword", price: "0.99") }
        #expect(sword == .consumable("sword", price: "0.99"))
    }

    @Test func `Behind a description that throws a mistake stops the process again`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SandboxProduct.makeThrowing { _ = SandboxProduct.consumable("sword", price: "1") }
            _ = SandboxProduct.consumable("sword", price: "0,99")
        }
        #expect(said(result).contains(#""0,99" is no price for the product "sword""#))
    }
}
