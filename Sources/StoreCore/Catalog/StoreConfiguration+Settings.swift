import Foundation

extension StoreConfiguration {
    /// The settings of a store for a test.
    ///
    /// Each property has as its default the value that Xcode leaves out of a file: no failures, real time, the USA, US
    /// English.
    public struct Settings: Hashable, Sendable {
        /// The language of the products' texts.
        public var locale = "en_US"
        /// The storefront's country, in ISO 3166-1 alpha-3.
        ///
        /// A country without a storefront is refused.
        public var storefront = "USA"
        /// The rate at which subscriptions renew, as Xcode's number for it; 0 is real time.
        public var timeRate = 0
        /// The rates for readers that do not know ``timeRate``, by the newest generation of rates that they know.
        ///
        /// A rate that older files give without a generation stands under 0.
        public var compatibilityTimeRates: [Int: Int] = [:]
        /// Whether every purchase waits for somebody's approval.
        public var isAskToBuyEnabled = false
        /// Whether every purchase is interrupted until the user resolves an issue.
        public var areInterruptedPurchasesEnabled = false
        /// Whether renewals fail in billing and are retried.
        public var isBillingRetryOnRenewalEnabled = false
        /// Whether access continues for a while after a failed renewal.
        public var isBillingGracePeriodEnabled = false
        /// Whether purchases go through without asking the user.
        public var areDialogsDisabled = false
        /// Whether every purchase of Store Kit 1 fails.
        public var areTransactionFailuresEnabled = false
        /// The error of those failures, as its number in Store Kit 1; nil if the file names none.
        public var transactionFailureCode: Int?
        /// The failures that are set up for single operations, in the file's order.
        public var forcedErrors: [ForcedError] = []
        /// The app's Apple ID, App Store Connect's number for it, in a file that is synchronized with it.
        public var applicationInternalIdentifier: String?
        /// The developer's team, in a synchronized file.
        public var developerTeamIdentifier: String?
        /// The date of the file's last synchronization.
        public var lastSynchronizedDate: Date?

        /// Creates the settings of an empty file.
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
            /// Creates a choice by its place in a menu.
            public init(type: String, index: Int) {
                self.type = type
                self.index = index
            }
        }

        /// The operation, as the menu calls it: `Load Products`.
        public var operation: String
        /// Whether the failure is turned on.
        public var isEnabled: Bool
        /// The chosen error, nil while none is.
        ///
        /// It stays chosen while the failure is off.
        public var choice: Choice?

        /// Creates a failure.
        public init(operation: String, isEnabled: Bool, choice: Choice? = nil) {
            self.operation = operation
            self.isEnabled = isEnabled
            self.choice = choice
        }
    }
}
