import Foundation

extension StoreConfiguration {
    /// How the store should behave in a test.
    ///
    /// Each property begins with what Xcode leaves out of a file: no failures, real time, the USA, US English.
    public struct Settings: Hashable, Sendable {
        /// The language of the products' texts.
        public var locale = "en_US"
        /// The country that the store sells for, in ISO 3166-1 alpha-3.
        ///
        /// A country without a storefront is refused.
        public var storefront = "USA"
        /// How fast subscriptions renew, as Xcode's number for it; 0 is real time.
        public var timeRate = 0
        /// Rates for readers that do not know ``timeRate``, by the newest generation of rates that they know.
        ///
        /// A rate that older files give without a generation stands under 0.
        public var compatibilityTimeRates: [Int: Int] = [:]
        /// Whether every purchase waits for somebody's approval.
        public var isAskToBuyEnabled = false
        /// Whether every purchase is interrupted, for the user to settle something first.
        public var areInterruptedPurchasesEnabled = false
        /// Whether renewals fail for want of payment and are tried again.
        public var isBillingRetryOnRenewalEnabled = false
        /// Whether access goes on for a while after a renewal has failed.
        public var isBillingGracePeriodEnabled = false
        /// Whether purchases go through without asking the user.
        public var areDialogsDisabled = false
        /// Whether every purchase of Store Kit 1 fails.
        public var areTransactionFailuresEnabled = false
        /// The error of those failures, as its number in Store Kit 1; nil if the file names none.
        public var transactionFailureCode: Int?
        /// The failures that are set up for single operations, in the file's order.
        public var forcedErrors: [ForcedError] = []
        /// App Store Connect's number for the app, in a file that is synchronised with it.
        public var applicationInternalIdentifier: String?
        /// The developer's team, in a synchronised file.
        public var developerTeamIdentifier: String?
        /// When the file was last synchronised.
        public var lastSynchronizedDate: Date?

        /// The settings of a file that says nothing.
        public init() {}
    }

    /// A failure that is set up for one operation.
    public struct ForcedError: Hashable, Sendable {
        /// The error that was chosen in Xcode's menu.
        public struct Choice: Hashable, Sendable {
            /// The family of errors: `generic`, `purchase`, `verification`.
            public var type: String
            /// The place in that family's menu, from 0.
            public var index: Int
            /// Names an error by its place in a menu.
            public init(type: String, index: Int) {
                self.type = type
                self.index = index
            }
        }

        /// The operation, as the menu calls it: `Load Products`.
        public var operation: String
        /// Whether it is to fail.
        public var isEnabled: Bool
        /// The chosen error, nil while none is.
        ///
        /// It stays chosen while the failure is off.
        public var choice: Choice?

        /// Sets up a failure.
        public init(operation: String, isEnabled: Bool, choice: Choice? = nil) {
            self.operation = operation
            self.isEnabled = isEnabled
            self.choice = choice
        }
    }
}
