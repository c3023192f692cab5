// The errors of Apple's store services that were recorded below Store Kit's.
extension StoreFailure.Underlying {
    /// Returns the error below `unknown` for an order of a subscription that already runs.
    static func alreadySubscribed(_ reason: String) -> Self {
        Self(domain: "ASDServerErrorDomain", code: 3532, reason: reason)
    }

    /// The error below `paymentCancelled` when the user dismisses the payment sheet.
    ///
    /// Recorded on devices and simulators: RevenueCat/purchases-flutter #894, hyochan/react-native-iap #1973,
    /// adaptyteam/AdaptySDK-React-Native #63.
    static let dismissedSheet = Self(
        domain: "ASDErrorDomain",
        code: 907,
        reason: "the payment sheet reported an error",
        underlying: Self(domain: "AMSErrorDomain", code: 6, reason: "the payment sheet was dismissed")
    )
}
