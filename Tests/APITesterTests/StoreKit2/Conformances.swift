import StoreKit

// Compiles, and so shows that Store Kit 2's types conform to what a client may rely on.

func isEquatable<T: Equatable & Sendable>(_ type: T.Type) {}
func isHashable<T: Hashable & Sendable>(_ type: T.Type) {}
func isOpen<T: RawRepresentable & Hashable & Sendable>(_ type: T.Type, of rawType: T.RawValue.Type) {}
func isValue<T: RawRepresentable & Hashable>(_ type: T.Type, of rawType: T.RawValue.Type) {}
func isDebuggable<T: CustomDebugStringConvertible>(_ type: T.Type) {}
func isIdentifiable<T: Identifiable>(_ type: T.Type, by identifier: T.ID.Type) {}
func isError<T: Error>(_ type: T.Type) {}
func isLocalizedError<T: LocalizedError>(_ type: T.Type) {}
func isSendable<T: Sendable>(_ type: T.Type) {}
func isSequence<T: AsyncSequence>(_ type: T.Type, of element: T.Element.Type) where T.Failure == Never {}

func useConformances() {
    isHashable(AdvancedCommerceProduct.self)
    isHashable(AdvancedCommerceProduct.PurchaseOption.self)
    isHashable(AppTransaction.self)
    isHashable(ExternalPurchase.NoticeResult.self)
    isHashable(ExternalPurchaseCustomLink.NoticeResult.self)
    isHashable(ExternalPurchaseCustomLink.ExternalPurchaseType.self)
    isHashable(ExternalPurchaseCustomLink.Token.self)
    isOpen(ExternalPurchaseCustomLink.TokenType.self, of: String.self)
    isValue(ExternalPurchaseCustomLink.NoticeType.self, of: Int.self)
    isSendable(ExternalLinkAccount.self)
    isSendable(ExternalPurchase.self)
    isSendable(ExternalPurchaseCustomLink.self)
    isSendable(ExternalPurchaseLink.self)
    isHashable(PaymentMethodBinding.self)
    isIdentifiable(PaymentMethodBinding.self, by: String.self)
    isHashable(PaymentMethodBinding.PaymentMethodBindingError.self)
    isLocalizedError(PaymentMethodBinding.PaymentMethodBindingError.self)
    isHashable(Message.self)
    isHashable(RedeemOption.self)
    isHashable(Product.self)
    isHashable(Product.PurchaseError.self)
    isHashable(Product.PurchaseOption.self)
    isHashable(Product.SubscriptionInfo.self)
    isHashable(Product.SubscriptionInfo.CommitmentInfo.self)
    isHashable(Product.SubscriptionInfo.PricingTerms.self)
    isHashable(Product.SubscriptionInfo.RenewalInfo.self)
    isHashable(Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.self)
    isHashable(Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.self)
    isHashable(Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo.self)
    isHashable(Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus.self)
    isHashable(Product.SubscriptionInfo.Status.self)
    isHashable(Product.SubscriptionOffer.self)
    isHashable(Product.SubscriptionPeriod.self)
    isHashable(Product.SubscriptionPeriod.Unit.self)
    isHashable(Product.SubscriptionPeriod.Unit.FormatStyle.self)
    isHashable(Transaction.self)
    isHashable(Transaction.AdvancedCommerceInfo.self)
    isHashable(Transaction.AdvancedCommerceInfo.Item.self)
    isHashable(Transaction.AdvancedCommerceInfo.Item.Details.self)
    isHashable(Transaction.AdvancedCommerceInfo.Offer.self)
    isHashable(Transaction.AdvancedCommerceInfo.Partner.self)
    isHashable(Transaction.AdvancedCommerceInfo.Refund.self)
    isHashable(Transaction.Offer.self)
    isHashable(Transaction.RefundRequestError.self)
    isHashable(Transaction.RefundRequestStatus.self)
    isHashable(VerificationResult<Transaction>.self)
    isHashable(VerificationResult<AppTransaction>.VerificationError.self)
    isEquatable(PurchaseIntent.self)

    isOpen(AppStore.Environment.self, of: String.self)
    isOpen(AppStore.Platform.self, of: String.self)
    isOpen(AppTransaction.StoreType.self, of: String.self)
    isOpen(Message.Reason.self, of: Int.self)
    isOpen(Product.ProductType.self, of: String.self)
    isOpen(Product.SubscriptionInfo.BillingPlanType.self, of: String.self)
    isOpen(Product.SubscriptionInfo.RenewalInfo.ExpirationReason.self, of: Int.self)
    isOpen(Product.SubscriptionInfo.RenewalState.self, of: Int.self)
    isOpen(Product.SubscriptionOffer.OfferType.self, of: String.self)
    isOpen(Product.SubscriptionOffer.PaymentMode.self, of: String.self)
    isOpen(Transaction.AdvancedCommerceInfo.Offer.Reason.self, of: String.self)
    isOpen(Transaction.AdvancedCommerceInfo.Refund.Reason.self, of: String.self)
    isOpen(Transaction.AdvancedCommerceInfo.Refund.RefundType.self, of: String.self)
    isOpen(Transaction.Offer.PaymentMode.self, of: String.self)
    isOpen(Transaction.OfferType.self, of: Int.self)
    isOpen(Transaction.OwnershipType.self, of: String.self)
    isOpen(Transaction.Reason.self, of: String.self)
    isOpen(Transaction.RevocationReason.self, of: Int.self)
    isOpen(Transaction.RevocationType.self, of: String.self)

    isIdentifiable(AdvancedCommerceProduct.self, by: AdvancedCommerceProduct.ID.self)
    isIdentifiable(Product.self, by: Product.ID.self)
    isIdentifiable(PurchaseIntent.self, by: PurchaseIntent.ID.self)
    isIdentifiable(Storefront.self, by: Storefront.ID.self)
    isIdentifiable(Transaction.self, by: Transaction.ID.self)
    let _: (String, String, String, UInt64).Type =
        (Product.ID, PurchaseIntent.ID, Storefront.ID, Transaction.ID).self

    isDebuggable(AdvancedCommerceProduct.self)
    isDebuggable(AdvancedCommerceProduct.PurchaseOption.self)
    isDebuggable(AppTransaction.self)
    isDebuggable(Product.self)
    isDebuggable(Product.PurchaseOption.self)
    isDebuggable(Product.SubscriptionInfo.RenewalInfo.self)
    isDebuggable(Product.SubscriptionPeriod.self)
    isDebuggable(Product.SubscriptionPeriod.Unit.self)
    isDebuggable(Transaction.self)
    isDebuggable(VerificationResult<Transaction>.self)

    isError(InvalidRequestError.self)
    isLocalizedError(Product.PurchaseError.self)
    isLocalizedError(StoreKitError.self)
    isLocalizedError(Transaction.RefundRequestError.self)
    isLocalizedError(VerificationResult<Transaction>.VerificationError.self)

    isSendable(AppStore.self)
    isSendable(Product.PurchaseResult.self)
    isSendable(StoreKitError.self)
    isSendable(Storefront.self)

    isSequence(AppTransaction.AppTransactions.self, of: VerificationResult<AppTransaction>.self)
    isSequence(Message.Messages.self, of: Message.self)
    isSequence(Product.SubscriptionInfo.Status.Statuses.self, of: Product.SubscriptionInfo.Status.self)
    isSequence(PurchaseIntent.PurchaseIntents.self, of: PurchaseIntent.self)
    isSequence(Storefront.Storefronts.self, of: Storefront.self)
    isSequence(Transaction.Transactions.self, of: VerificationResult<Transaction>.self)

    let _: any Comparable.Type = Product.SubscriptionPeriod.Unit.self
    let _: any (Codable & FormatStyle).Type = Product.SubscriptionPeriod.Unit.FormatStyle.self
    let _: any BitwiseCopyable.Type = Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus.self
    let _: Product.SubscriptionInfo.Type = SubscriptionInfo.self
    let _: Product.SubscriptionPeriod.Type = SubscriptionPeriod.self
    let _: Product.SubscriptionInfo.RenewalInfo.Type = SubscriptionRenewalInfo.self
    let _: Product.SubscriptionInfo.RenewalState.Type = SubscriptionRenewalState.self
    let _: Product.SubscriptionInfo.Status.Type = SubscriptionStatus.self
}
