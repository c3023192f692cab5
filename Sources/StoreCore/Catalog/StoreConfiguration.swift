import Foundation

/// The content of one of Xcode's `.storekit` files: products, subscription groups and the settings for testing.
///
/// Every format from 1.0 to 6.3 is read; a newer one is read like the newest of these. Missing keys have the defaults that
/// Xcode leaves out. An invalid file is refused as a whole, with the place of the error; ``warnings`` lists what is ignored
/// in a valid one.
///
/// ```swift
/// let configuration = try StoreConfiguration(contentsOf: url)
/// for product in configuration.products { print(product.identifier, product.price) }
/// ```
public struct StoreConfiguration: Hashable, Sendable {
    /// The format that a file is written in.
    public struct Version: Hashable, Sendable, CustomStringConvertible {
        /// The major number, which increases when older readers would fail.
        public var major: Int
        /// The minor number, which increases with additions.
        public var minor: Int
        /// Both numbers with a point between them.
        public var description: String { "\(major).\(minor)" }
    }

    /// A group of subscriptions; a user can have one of them at a time.
    public struct SubscriptionGroup: Hashable, Sendable {
        /// The group's identifier, to which its subscriptions refer.
        public var identifier: String
        /// The operator's name for it.
        public var name: String
        /// Its name for the user, in each language that has one.
        ///
        /// Usually empty.
        public var localizations: [SandboxProduct.Localization]
        /// Its subscriptions, in the file's order.
        public var productIdentifiers: [String]
    }

    /// The key that signs promotional offers in tests.
    ///
    /// Printing or dumping it shows only its identifier.
    public struct OffersKeyPair: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The identifier that a signature names.
        public var identifier: String
        /// The private key as the file holds it, usually PKCS #8 in DER.
        public var privateKey: Data
        /// The key's identifier.
        public var description: String { "offers key \(identifier)" }
        /// The key's identifier, without the key.
        public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }
    }

    /// The major number of the newest supported format.
    public static let newestMajorVersion = 6

    /// The identifier that Xcode gives the file; nil in a file of format 1.0.
    public var identifier: String?
    /// The file's format.
    public var version: Version
    /// All products: consumables and non-consumables, then non-renewing, then auto-renewable subscriptions, each in the
    /// file's order.
    public var products: [SandboxProduct]
    /// The groups of the auto-renewable subscriptions.
    public var subscriptionGroups: [SubscriptionGroup]
    /// The settings of the store for a test.
    public var settings: Settings
    /// The key that signs promotional offers; nil if the file has none.
    public var subscriptionOffersKeyPair: OffersKeyPair?
    /// The places in the file that are probably mistakes or are not supported; none of them prevents its use.
    ///
    /// * Each unknown key, with the one that may have been meant.
    /// * A format newer than ``newestMajorVersion``, and products of a newer kind: suites and bundles of subscriptions are
    ///   not sold yet.
    /// * A product whose price is empty: it sells at 0.
    /// * A repeated locale of a product or group, of which the first counts.
    /// * An offer whose identifier an earlier offer of the same list has: no purchase can use it.
    public var warnings: [Warning] { readWarnings + keyWarnings.all }
    private let readWarnings: [Warning]
    private let keyWarnings: LateWarnings

    init(
        identifier: String?,
        version: Version,
        products: [SandboxProduct],
        subscriptionGroups: [SubscriptionGroup],
        settings: Settings,
        subscriptionOffersKeyPair: OffersKeyPair?,
        warnings: [Warning],
        keyWarnings: LateWarnings
    ) {
        self.identifier = identifier
        self.version = version
        self.products = products
        self.subscriptionGroups = subscriptionGroups
        self.settings = settings
        self.subscriptionOffersKeyPair = subscriptionOffersKeyPair
        readWarnings = warnings
        self.keyWarnings = keyWarnings
    }
}

extension StoreConfiguration {
    /// The settings of a store for a test.
    ///
    /// The defaults are the values that Xcode leaves out of a file: no failures, real time, the USA, US English.
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
        /// A rate that older files list without a generation has the key 0.
        public var compatibilityTimeRates: [Int: Int] = [:]
        /// Whether every purchase waits for approval.
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
        /// The error code of those failures in Store Kit 1; nil if the file names none.
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
        /// An error in one of Xcode's menus.
        public struct Choice: Hashable, Sendable {
            /// The family of errors: `generic`, `purchase`, `verification`.
            public var type: String
            /// The index in that family's menu, from 0.
            public var index: Int
            /// Creates a choice by its index in a menu.
            public init(type: String, index: Int) {
                self.type = type
                self.index = index
            }
        }

        /// The operation, under its name in the menu: `Load Products`.
        public var operation: String
        /// Whether the failure is turned on.
        public var isEnabled: Bool
        /// The chosen error; nil while none is chosen.
        ///
        /// It remains chosen while the failure is off.
        public var choice: Choice?

        /// Creates a failure.
        public init(operation: String, isEnabled: Bool, choice: Choice? = nil) {
            self.operation = operation
            self.isEnabled = isEnabled
            self.choice = choice
        }
    }
}

extension StoreConfiguration {
    /// A place in a file that is probably a mistake or is not supported, but does not prevent the file's use.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// The file's path, or the name given with its content.
        public let file: String
        /// The place in it, as in `products[2].familySharable`.
        public let path: String
        /// The problem, and its effect.
        ///
        /// The wording is not stable.
        public let reason: String

        /// One line with the file, the place and the reason.
        public var description: String { "\(file): \(path): \(reason)" }
    }

    /// Warnings that are collected when they are first read, so that loading a file does not pay for them.
    final class LateWarnings: Hashable, Sendable {
        private enum State: Sendable {
            case unread(@Sendable () -> [Warning])
            case read([Warning])
        }

        private let state: Locked<State>

        /// Creates warnings from the function that finds them, which is called once and makes no callbacks.
        init(_ find: @escaping @Sendable () -> [Warning]) { state = Locked(.unread(find)) }

        var all: [Warning] {
            state.withLock { state in
                switch state {
                case .read(let warnings): return warnings
                case .unread(let find):
                    let warnings = find()
                    state = .read(warnings)
                    return warnings
                }
            }
        }

        static func == (left: LateWarnings, right: LateWarnings) -> Bool { left === right || left.all == right.all }
        func hash(into hasher: inout Hasher) {}
    }
}

/// The error for a refused `.storekit` file: the place, the expected value and the one found.
public struct StoreConfigurationError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The file's path, or the name given with its content.
    public let file: String
    /// The place in it, as in `subscriptionGroups[0].subscriptions[2].displayPrice`; empty for the file as a whole.
    public let path: String
    /// The expected value.
    ///
    /// The wording is not stable.
    public let expected: String
    /// The value found.
    ///
    /// The wording is not stable.
    public let found: String

    init(file: String, path: String, expected: String, found: String) {
        self.file = file
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// One sentence with the file, the place, the expected value and the one found.
    public var description: String {
        "\(file): \(path.isEmpty ? "" : "\(path): ")expected \(expected), found \(found)"
    }

    /// The description.
    public var errorDescription: String? { description }
}
