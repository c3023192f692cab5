import StoreKit

// Compiles, and so shows that what a client may write about products, their subscriptions and offers compiles.

func load() async throws -> [Product] {
    let products = try await Product.products(for: ["coins", "sword"])
    let _: [Product] = try await Product.products(for: Set(["coins"]))
    return products.sorted { $0.price < $1.price }
}

@MainActor
func useProduct(_ product: Product) async throws {
    let _: (String, Product.ID, Product.ProductType) = (product.id, product.id, product.type)
    let _: (String, String, String, Decimal) = (
        product.displayName, product.description, product.displayPrice, product.price
    )
    let _: (Bool, Data, String) = (product.isFamilyShareable, product.jsonRepresentation, product.debugDescription)
    let _: Decimal.FormatStyle.Currency = product.priceFormatStyle
    let _: String = (product.price * 12).formatted(product.priceFormatStyle)
    let _: Product.SubscriptionPeriod.Unit.FormatStyle = product.subscriptionPeriodUnitFormatStyle
    let _: VerificationResult<Transaction>? = await product.latestTransaction
    for await result in product.currentEntitlements { print(result.unsafePayloadValue.id) }
    switch product.type {
    case .consumable, .nonConsumable, .nonRenewable, .autoRenewable: print(product.type.localizedDescription)
    case .subscriptionBundle, .subscriptionSuite: break
    default: print(Product.ProductType(rawValue: product.type.rawValue))
    }
    var hasher = Hasher()
    product.hash(into: &hasher)
    let _: (Int, Bool) = (product.hashValue, product == product)
}

@MainActor
func usePromotions() async throws {
    try await Product.PromotionInfo.updateProductOrder(byID: ["coins", "sword"])
    var promotions: [Product.PromotionInfo] = try await Product.PromotionInfo.currentOrder
    for index in promotions.indices { promotions[index].visibility = .visible }
    try await Product.PromotionInfo.updateAll(promotions)
    try await Product.PromotionInfo.updateAll(promotions.reversed())
    try await Product.PromotionInfo.updateProductVisibility(.hidden, for: "sword")
    guard let first = promotions.first, var promotion = promotions.last else { return }
    let _: (Product.ID, Int, Bool) = (promotion.productID, promotion.visibility.rawValue, promotion == first)
    promotion.visibility = Product.PromotionInfo.Visibility(rawValue: 0) ?? .appStoreConnectDefault
    try await promotion.update()
    switch promotion.visibility {
    case .appStoreConnectDefault, .visible, .hidden: break
    @unknown default: break
    }
    isValue(Product.PromotionInfo.Visibility.self, of: Int.self)
}

@available(*, deprecated)
func useOldProduct(_ product: Product) async {
    let _: VerificationResult<Transaction>? = await product.currentEntitlement
    let signature = Product.SubscriptionOffer.Signature(keyID: "key", nonce: UUID(), timestamp: 1, signature: Data())
    var changed = signature
    (changed.keyID, changed.nonce, changed.timestamp, changed.signature) = ("other", UUID(), 2, Data())
    isHashable(Product.SubscriptionOffer.Signature.self)
    let _: [Product.PurchaseOption] = [
        .promotionalOffer(offerID: "spring", signature: signature),
        .promotionalOffer(offerID: "spring", keyID: "key", nonce: UUID(), signature: Data(), timestamp: 1),
    ]
}

@MainActor
func buy(_ product: Product, for user: UUID) async {
    var options: Set<Product.PurchaseOption> = [
        .quantity(2), .appAccountToken(user), .simulatesAskToBuyInSandbox(true),
        .onStorefrontChange { storefront in storefront.countryCode == "USA" },
        .introductoryOfferEligibility(compactJWS: "header.payload.signature"), .billingPlanType(.monthly),
        .custom(key: "text", value: "a"), .custom(key: "number", value: 1.5), .custom(key: "flag", value: true),
        .custom(key: "data", value: Data()),
    ]
    options.formUnion(Product.PurchaseOption.promotionalOffer("spring", compactJWS: "header.payload.signature"))
    if let offer = product.subscription?.winBackOffers.first { options.insert(.winBackOffer(offer)) }
    let _: [String] = options.map(\.debugDescription)
    do {
        let result: Product.PurchaseResult = try await product.purchase(options: options)
        switch result {
        case .success(.verified(let transaction)): await transaction.finish()
        case .success(.unverified(_, let error)): throw error
        case .pending: print("waiting")
        case .userCancelled: break
        @unknown default: break
        }
    } catch let error as Product.PurchaseError {
        switch error {
        case .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer: break
        case .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters: break
        case .paymentMethodBindingConfigurationRequired: break
        @unknown default: break
        }
        let _: [String?] = [error.errorDescription, error.failureReason, error.recoverySuggestion]
    } catch {
        print(error)
    }
}

func useSubscription(_ product: Product) async throws {
    guard let subscription: Product.SubscriptionInfo = product.subscription else { return }
    let _: (String, String, Int) = (
        subscription.subscriptionGroupID, subscription.groupDisplayName, subscription.groupLevel
    )
    let _: Product.SubscriptionPeriod = subscription.subscriptionPeriod
    let _: Product.SubscriptionOffer? = subscription.introductoryOffer
    let _: [Product.SubscriptionOffer] = subscription.promotionalOffers + subscription.winBackOffers
    let _: Bool = await subscription.isEligibleForIntroOffer
    let _: Bool = await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club")
    let _: [Product.SubscriptionInfo.Status] = try await subscription.status
    let _: [Product.SubscriptionInfo.Status] = try await Product.SubscriptionInfo.status(for: "club")
    let _: SubscriptionStatus? = try await Product.SubscriptionInfo.status(transactionID: 1)
    for terms: Product.SubscriptionInfo.PricingTerms in subscription.pricingTerms {
        let _: (String, Decimal) = (terms.billingDisplayPrice, terms.billingPrice)
        let _: Product.SubscriptionInfo.BillingPeriod = terms.billingPeriod
        let _: [Product.SubscriptionOffer] = terms.subscriptionOffers + terms[offers: .introductory]
        let commitment: Product.SubscriptionInfo.CommitmentInfo = terms.commitmentInfo
        let _: (String, Decimal, SubscriptionPeriod) = (commitment.displayPrice, commitment.price, commitment.period)
        switch terms.billingPlanType {
        case .monthly, .upFront: break
        default: print(Product.SubscriptionInfo.BillingPlanType(rawValue: terms.billingPlanType.rawValue))
        }
    }
    for bundled: Product.SubscriptionInfo.BundledSubscription in subscription.bundledSubscriptions {
        let _: (Product.ID, String, String, String, Decimal) = (
            bundled.id, bundled.displayName, bundled.description, bundled.displayPrice, bundled.price
        )
        let _: (String, String, Int, Bool) = (
            bundled.subscriptionGroupID, bundled.subscriptionGroupDisplayName, bundled.subscriptionGroupLevel,
            bundled.isFamilyShareable
        )
    }
}

func useOffer(_ offer: Product.SubscriptionOffer) {
    let _: (String?, String, Decimal) = (offer.id, offer.displayPrice, offer.price)
    let _: (Product.SubscriptionPeriod, Int) = (offer.period, offer.periodCount)
    switch offer.type {
    case .introductory, .promotional, .winBack: print(offer.type.localizedDescription)
    default: print(Product.SubscriptionOffer.OfferType(rawValue: offer.type.rawValue))
    }
    switch offer.paymentMode {
    case .freeTrial, .payAsYouGo, .payUpFront: print(offer.paymentMode.localizedDescription)
    default: print(Product.SubscriptionOffer.PaymentMode(rawValue: offer.paymentMode.rawValue))
    }
}

func usePeriod(_ period: Product.SubscriptionPeriod, _ style: Product.SubscriptionPeriod.Unit.FormatStyle) {
    let _: (Product.SubscriptionPeriod.Unit, Int, String) = (period.unit, period.value, period.debugDescription)
    let _: [Product.SubscriptionPeriod] = [
        .weekly, .monthly, .yearly, .everyThreeDays, .everyTwoWeeks, .everyTwoMonths, .everyThreeMonths,
        .everySixMonths,
    ]
    let _: (Range<Date>, Range<Date>) = (period.dateRange(), period.dateRange(referenceDate: Date()))
    let _: String = period.formatted(Date.IntervalFormatStyle(date: .numeric))
    let _: String = period.formatted(Duration.UnitsFormatStyle(allowedUnits: [.days], width: .wide))
    let _: DateComponents = DateComponents(subscriptionPeriod: period)
    switch period.unit {
    case .day: print("day")
    case .week: print("week")
    case .month: print("month")
    case .year: print("year")
    @unknown default: print(period.unit.localizedDescription, period.unit.debugDescription)
    }
    let _: Bool = Product.SubscriptionPeriod.Unit.day < .week
    let _: String = period.unit.formatted(style.locale(Locale(identifier: "en_US")))
    let _: Product.SubscriptionPeriod.Unit.FormatStyle.FormatOutput = style.format(.month)
    let _: Product.SubscriptionPeriod.Unit.FormatStyle.FormatInput = .month
}
