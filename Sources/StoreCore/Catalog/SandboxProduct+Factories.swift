import Foundation

// Each kind has two factories: `price:` takes a literal text, `decimalPrice:` a computed number. Since the labels
// differ, `price: 0.99` does not compile: as a `Double`, it would not be exactly 0.99. Inside ``makeThrowing(_:)``,
// mistakes are thrown instead of stopping the process.
extension SandboxProduct {
    /// Creates a consumable product, which is used up by the app and can be bought again.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - price: the exact price, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func consumable(
        _ identifier: String,
        price: String,
        title: String? = nil,
        description: String = "",
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        .consumable(
            identifier,
            decimalPrice: writtenPrice(price, identifier, file, line),
            title: title,
            description: description,
            file: file,
            line: line
        )
    }

    /// Creates a consumable product with a computed price.
    ///
    /// A negative price stops the process.
    package static func consumable(
        _ identifier: String,
        decimalPrice price: Decimal,
        title: String? = nil,
        description: String = "",
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        make(identifier, .consumable, price, title, description, false, nil, file, line)
    }

    /// Creates a non-consumable product, which is bought once and valid forever.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - price: the exact price, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - isFamilyShareable: whether the purchaser's family may also use the product.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func nonConsumable(
        _ identifier: String,
        price: String,
        title: String? = nil,
        description: String = "",
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        .nonConsumable(
            identifier,
            decimalPrice: writtenPrice(price, identifier, file, line),
            title: title,
            description: description,
            isFamilyShareable: isFamilyShareable,
            file: file,
            line: line
        )
    }

    /// Creates a non-consumable product with a computed price.
    ///
    /// A negative price stops the process.
    package static func nonConsumable(
        _ identifier: String,
        decimalPrice price: Decimal,
        title: String? = nil,
        description: String = "",
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        make(identifier, .nonConsumable, price, title, description, isFamilyShareable, nil, file, line)
    }

    /// Creates a non-renewing subscription, whose duration the app determines.
    ///
    /// The store knows no end of it: ``SandboxAccount/entitlements`` leaves it out, and it can be bought again at any
    /// time.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - price: the exact price, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - isFamilyShareable: whether the purchaser's family may also use the product.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func nonRenewing(
        _ identifier: String,
        price: String,
        title: String? = nil,
        description: String = "",
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        .nonRenewing(
            identifier,
            decimalPrice: writtenPrice(price, identifier, file, line),
            title: title,
            description: description,
            isFamilyShareable: isFamilyShareable,
            file: file,
            line: line
        )
    }

    /// Creates a non-renewing subscription with a computed price.
    ///
    /// A negative price stops the process.
    package static func nonRenewing(
        _ identifier: String,
        decimalPrice price: Decimal,
        title: String? = nil,
        description: String = "",
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        make(identifier, .nonRenewing, price, title, description, isFamilyShareable, nil, file, line)
    }

    /// Creates an auto-renewable subscription, which is charged again at the end of each period.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - price: the exact price of one period, as in `"4.99"`. Anything but digits and a point stops the process.
    ///   - period: the length of one paid period.
    ///   - group: the subscription group's identifier; a user subscribes to one product of a group at a time.
    ///   - level: the level of service within the group: 1 is the highest, and a larger number is a lower level.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - introductoryOffer: the offer for first-time subscribers.
    ///   - promotionalOffers: the offers that the app can make by signing them; each needs an identifier.
    ///   - offerCodes: the offers that users redeem with codes; each needs an identifier.
    ///   - winBackOffers: the offers for lapsed subscribers; each needs an identifier.
    ///   - isFamilyShareable: whether the purchaser's family may also use the product.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func autoRenewable(
        _ identifier: String,
        price: String,
        period: StoreProduct.Period,
        group: String,
        level: Int = 1,
        title: String? = nil,
        description: String = "",
        introductoryOffer: Offer? = nil,
        promotionalOffers: [Offer] = [],
        offerCodes: [CodeOffer] = [],
        winBackOffers: [WinBackOffer] = [],
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        .autoRenewable(
            identifier,
            decimalPrice: writtenPrice(price, identifier, file, line),
            period: period,
            group: group,
            level: level,
            title: title,
            description: description,
            introductoryOffer: introductoryOffer,
            promotionalOffers: promotionalOffers,
            offerCodes: offerCodes,
            winBackOffers: winBackOffers,
            isFamilyShareable: isFamilyShareable,
            file: file,
            line: line
        )
    }

    /// Creates an auto-renewable subscription with a computed price.
    ///
    /// A negative price stops the process.
    package static func autoRenewable(
        _ identifier: String,
        decimalPrice price: Decimal,
        period: StoreProduct.Period,
        group: String,
        level: Int = 1,
        title: String? = nil,
        description: String = "",
        introductoryOffer: Offer? = nil,
        promotionalOffers: [Offer] = [],
        offerCodes: [CodeOffer] = [],
        winBackOffers: [WinBackOffer] = [],
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        let subscription = Subscription(
            groupIdentifier: group,
            level: level,
            period: period,
            introductoryOffers: introductoryOffer.map { [$0] } ?? [],
            promotionalOffers: promotionalOffers,
            offerCodes: offerCodes,
            winBackOffers: winBackOffers
        )
        return make(identifier, .autoRenewable, price, title, description, isFamilyShareable, subscription, file, line)
    }

    /// Creates a suite: subscriptions that are sold together only, as one auto-renewable subscription.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - price: the exact price of one period, as in `"9.99"`. Anything but digits and a point stops the process.
    ///   - period: the length of one paid period.
    ///   - group: the identifier of the suite's own subscription group.
    ///   - level: the level of service within the group: 1 is the highest, and a larger number is a lower level.
    ///   - members: the names of the parts, for the operator's information. They need not be products.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - introductoryOffer: the offer for first-time subscribers.
    ///   - isFamilyShareable: whether the purchaser's family may also use the product.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func subscriptionSuite(
        _ identifier: String,
        price: String,
        period: StoreProduct.Period,
        group: String,
        level: Int = 1,
        members: [String] = [],
        title: String? = nil,
        description: String = "",
        introductoryOffer: Offer? = nil,
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        .subscriptionSuite(
            identifier,
            decimalPrice: writtenPrice(price, identifier, file, line),
            period: period,
            group: group,
            level: level,
            members: members,
            title: title,
            description: description,
            introductoryOffer: introductoryOffer,
            isFamilyShareable: isFamilyShareable,
            file: file,
            line: line
        )
    }

    /// Creates a suite of subscriptions with a computed price.
    ///
    /// A negative price stops the process.
    package static func subscriptionSuite(
        _ identifier: String,
        decimalPrice price: Decimal,
        period: StoreProduct.Period,
        group: String,
        level: Int = 1,
        members: [String] = [],
        title: String? = nil,
        description: String = "",
        introductoryOffer: Offer? = nil,
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        let subscription = Subscription(
            groupIdentifier: group,
            level: level,
            period: period,
            introductoryOffers: introductoryOffer.map { [$0] } ?? [],
            members: members
        )
        return make(
            identifier,
            .subscriptionSuite,
            price,
            title,
            description,
            isFamilyShareable,
            subscription,
            file,
            line
        )
    }

    /// Creates a bundle: an auto-renewable subscription that includes others, which are sold separately too.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - price: the exact price of one period, as in `"9.99"`. Anything but digits and a point stops the process.
    ///   - period: the length of one paid period.
    ///   - group: the identifier of the bundle's own subscription group.
    ///   - level: the level of service within the group: 1 is the highest, and a larger number is a lower level.
    ///   - members: the identifiers of the included auto-renewable subscriptions, each in a group of its own. They are
    ///     registered before the bundle, or together with it. An empty list stops the process.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - introductoryOffer: the offer for first-time subscribers.
    ///   - isFamilyShareable: whether the purchaser's family may also use the product.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func subscriptionBundle(
        _ identifier: String,
        price: String,
        period: StoreProduct.Period,
        group: String,
        level: Int = 1,
        members: [String],
        title: String? = nil,
        description: String = "",
        introductoryOffer: Offer? = nil,
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        .subscriptionBundle(
            identifier,
            decimalPrice: writtenPrice(price, identifier, file, line),
            period: period,
            group: group,
            level: level,
            members: members,
            title: title,
            description: description,
            introductoryOffer: introductoryOffer,
            isFamilyShareable: isFamilyShareable,
            file: file,
            line: line
        )
    }

    /// Creates a bundle of subscriptions with a computed price.
    ///
    /// A negative price stops the process.
    package static func subscriptionBundle(
        _ identifier: String,
        decimalPrice price: Decimal,
        period: StoreProduct.Period,
        group: String,
        level: Int = 1,
        members: [String],
        title: String? = nil,
        description: String = "",
        introductoryOffer: Offer? = nil,
        isFamilyShareable: Bool = false,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        let subscription = Subscription(
            groupIdentifier: group,
            level: level,
            period: period,
            introductoryOffers: introductoryOffer.map { [$0] } ?? [],
            members: members
        )
        return make(
            identifier,
            .subscriptionBundle,
            price,
            title,
            description,
            isFamilyShareable,
            subscription,
            file,
            line
        )
    }

    /// Creates a free subscription, which never ends.
    ///
    /// Only an app in the Newsstand may offer one: a store refuses the order with `paymentInvalid`, unless it was
    /// opened with `isNewsstandApp`.
    ///
    /// - Parameters:
    ///   - identifier: the product's identifier in the app and the store. An empty one stops the process.
    ///   - title: the product's name in the language `en_US`; without one, users see the identifier.
    ///   - description: the product's description in the same language. Has no effect without a title.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public static func freeSubscription(
        _ identifier: String,
        title: String? = nil,
        description: String = "",
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        make(identifier, .freeSubscription, 0, title, description, false, nil, file, line)
    }

    /// Returns the product with texts in one more language, or with new texts in a language that it already has.
    ///
    /// A user sees the texts in the device's language, else those in the storefront's, else those in US English, else
    /// the first ones.
    ///
    /// - Parameters:
    ///   - locale: the language, with a script or a country if necessary, as in `de`, `en_GB` and `zh_Hans`.
    ///   - title: the product's name in the language.
    ///   - description: the product's description in the language.
    /// - Returns: the product.
    public func localized(_ locale: String, title: String, description: String = "") -> SandboxProduct {
        var copy = self
        copy.localizations.removeAll { $0.locale == locale }
        copy.localizations.append(Localization(locale: locale, title: title, description: description))
        return copy
    }

    /// Returns a yearly subscription that is also sold in twelve monthly payments.
    ///
    /// The buyer chooses the plan, and a buyer who pays monthly is committed to all twelve payments. For a subscription
    /// of another length than a year, the plan has no effect.
    ///
    /// - Parameters:
    ///   - price: the price of each payment, as in `"4.99"`. Anything but digits and a point stops the process.
    ///   - offer: the offer for first-time subscribers who pay monthly.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the subscription with both billing plans; a product that is no subscription is returned unchanged.
    public func billedMonthly(
        price: String,
        introductoryOffer offer: Offer? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        let monthly = ExactPrice.written(
            price,
            for: "the monthly billing plan",
            in: identifier,
            file: file,
            line: line
        )
        var copy = self
        copy.subscription?.billingPlans = [
            .init(plan: .upFront, price: self.price, commitmentPrice: self.price),
            .init(plan: .monthly, price: monthly, commitmentPrice: monthly * 12),
        ]
        if let offer { copy.subscription?.introductoryOffers.append(offer.billedMonthly()) }
        return copy
    }

    private static func writtenPrice(
        _ text: String,
        _ identifier: String,
        _ file: StaticString,
        _ line: UInt
    ) -> Decimal {
        ExactPrice.written(text, for: "the product \"\(identifier)\"", in: identifier, file: file, line: line)
    }

    private static func make(
        _ identifier: String,
        _ kind: Kind,
        _ price: Decimal,
        _ title: String?,
        _ description: String,
        _ isFamilyShareable: Bool,
        _ subscription: Subscription?,
        _ file: StaticString,
        _ line: UInt
    ) -> SandboxProduct {
        let product = SandboxProduct(
            identifier: identifier,
            kind: kind,
            referenceName: identifier,
            price: price,
            localizations: title.map { [Localization(locale: "en_US", title: $0, description: description)] } ?? [],
            isFamilyShareable: isFamilyShareable,
            subscription: subscription
        )
        product.reportFault(file: file, line: line)
        return product
    }
}
