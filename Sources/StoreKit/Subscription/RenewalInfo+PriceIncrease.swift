import StoreCore

extension Product.SubscriptionInfo.RenewalInfo {
    /// The state of a price increase.
    @frozen public enum PriceIncreaseStatus: Equatable, Hashable, Sendable, BitwiseCopyable {
        /// There is none, or the store tells nothing about it.
        case noIncreasePending
        /// The user was asked for consent and has not answered.
        case pending
        /// The user consented, or was told where no consent is needed.
        case agreed

        /// The state in words, in English.
        public var localizedDescription: String {
            switch self {
            case .noIncreasePending: "No price increase"
            case .pending: "Price increase awaits consent"
            case .agreed: "Price increase accepted"
            }
        }

        init(_ status: RenewalPayload.PriceIncreaseStatus?) {
            self =
                switch status {
                case .pending: .pending
                case .agreed: .agreed
                default: .noIncreasePending
                }
        }
    }
}
