import Foundation

extension AppReceipt {
    /// One period of an auto-renewable subscription in a receipt.
    public struct Subscription: Hashable, Sendable {
        /// `expires-date`, `-formatted` and `-formatted-pst`: the end of the paid period.
        ///
        /// The first of the three is in milliseconds since 1970.
        public var expirationDate: Date
        /// `web-order-line-item-id`: the store's number for this period.
        ///
        /// In a ``SandboxStore``, it is the identifier of the transaction that began the period, also in JWSs.
        public var webOrderLineItemIdentifier: String?
        /// `is-trial-period`: whether this period is free.
        public var isTrialPeriod: Bool
        /// `is-in-intro-offer-period`: whether this period has an introductory price.
        public var isInIntroductoryOfferPeriod: Bool
        /// `promotional-offer-id`: the promotional offer that applies to this period; nil if none does.
        public var promotionalOfferIdentifier: String?
        /// `offer-code-ref-name`: the reference name of the offer redeemed by code for this period; nil if none.
        public var codeReferenceName: String?

        /// Creates a period; by default, it is sold at the full price.
        package init(
            expirationDate: Date,
            webOrderLineItemIdentifier: String? = nil,
            isTrialPeriod: Bool = false,
            isInIntroductoryOfferPeriod: Bool = false,
            promotionalOfferIdentifier: String? = nil,
            codeReferenceName: String? = nil
        ) {
            self.expirationDate = expirationDate
            self.webOrderLineItemIdentifier = webOrderLineItemIdentifier
            self.isTrialPeriod = isTrialPeriod
            self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
            self.promotionalOfferIdentifier = promotionalOfferIdentifier
            self.codeReferenceName = codeReferenceName
        }
    }
}
