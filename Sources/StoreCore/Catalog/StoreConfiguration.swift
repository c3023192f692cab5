import Foundation

/// The content of one of Xcode's `.storekit` files: products, subscription groups and test settings.
///
/// Every format from 1.0 to 6.3 can be read; newer formats are read like 6.3. Missing keys have Xcode's defaults. An
/// invalid file is refused with an error that names the place; ``warnings`` lists what is ignored in a valid file.
///
/// ```swift
/// let configuration = try StoreConfiguration(contentsOf: url)
/// for product in configuration.products { print(product.identifier, product.price) }
/// ```
public struct StoreConfiguration: Hashable, Sendable {
    /// The version of the file's format.
    package struct Version: Hashable, Sendable, CustomStringConvertible {
        /// The major number, which increases when older readers would fail.
        package var major: Int
        /// The minor number, which increases when keys are added.
        package var minor: Int
        /// The two numbers, separated by a point.
        package var description: String { "\(major).\(minor)" }
    }

    /// A subscription group: a user can be subscribed to one of its products at a time.
    package struct SubscriptionGroup: Hashable, Sendable {
        /// The group's identifier, to which its subscriptions refer.
        package var identifier: String
        /// The operator's name for the group.
        package var name: String
        /// The group's names for the user, one for each language.
        ///
        /// Usually empty.
        package var localizations: [SandboxProduct.Localization]
        /// The product identifiers of the group's subscriptions, in the file's order.
        package var productIdentifiers: [String]
    }

    /// The key with which tests sign promotional offers.
    ///
    /// Printing or dumping the value shows only the key's identifier.
    public struct OffersKeyPair: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The identifier of the key, which a signed offer names.
        package var identifier: String
        /// The private key as in the file, usually PKCS #8 in DER.
        package var privateKey: Data
        /// The key's identifier.
        public var description: String { "offers key \(identifier)" }
        /// The key's identifier; the private key is left out.
        public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }
    }

    /// The major number of the newest format that is supported.
    package static let newestMajorVersion = 6

    /// The file's identifier, set by Xcode; nil in a file of format 1.0.
    package var identifier: String?
    /// The file's format.
    package var version: Version
    /// All products, by kind, and each kind in the file's order.
    ///
    /// Consumables and non-consumables come first, followed by non-renewing subscriptions, auto-renewable ones, suites
    /// and bundles.
    public var products: [SandboxProduct]
    /// The groups of the auto-renewable subscriptions, then those of suites and bundles.
    package var subscriptionGroups: [SubscriptionGroup]
    /// The settings for tests.
    package var settings: Settings
    /// The key with which tests sign promotional offers; nil if the file has none.
    ///
    /// `P256OfferSigner` of the module StoreCrypto is created from it. A store does not accept the key's offers until
    /// that signer is in ``SandboxStore/offerSigners``.
    public var subscriptionOffersKeyPair: OffersKeyPair?
    /// The parts of the file that are probably mistakes or are not supported, but do not prevent its use.
    ///
    /// * Each unknown key, with the known key that may have been meant.
    /// * A format newer than `newestMajorVersion`.
    /// * A member of a bundle that the file does not have or that is listed twice, which is left out; and a bundle
    ///   without any members, which is not sold.
    /// * A product with an empty price, which sells at 0.
    /// * A repeated locale of a product or group, of which the first is used.
    /// * An offer with the identifier of an earlier one in the same list, which no purchase can use.
    ///
    /// The first read of this property parses the file's content once more.
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
    /// The settings of a store that runs tests.
    ///
    /// The defaults are those of Xcode: no failures, real time, the storefront of the USA, US English.
    package struct Settings: Hashable, Sendable {
        /// The language of the products' texts.
        package var locale = "en_US"
        /// The storefront's country, in ISO 3166-1 alpha-3.
        ///
        /// Reading a file with a code that has no storefront fails.
        package var storefront = "USA"
        /// The rate at which subscriptions renew, as a number that Xcode assigns to it; 0 is real time.
        package var timeRate = 0
        /// The fallback rates for programs that do not know ``timeRate``, by the newest generation of rates that a
        /// program knows.
        ///
        /// Older files have a single rate without a generation: its key is 0.
        package var compatibilityTimeRates: [Int: Int] = [:]
        /// Whether every purchase is deferred until it is approved.
        package var isAskToBuyEnabled = false
        /// Whether every purchase is interrupted until the user resolves an issue.
        package var areInterruptedPurchasesEnabled = false
        /// Whether the charges for renewals fail and are retried.
        package var isBillingRetryOnRenewalEnabled = false
        /// Whether a grace period follows a failed renewal.
        package var isBillingGracePeriodEnabled = false
        /// Whether purchases are made without confirmation by the user.
        package var areDialogsDisabled = false
        /// Whether every Store Kit 1 purchase fails.
        package var areTransactionFailuresEnabled = false
        /// The code of the error with which Store Kit 1 purchases fail; nil if the file has none.
        package var transactionFailureCode: Int?
        /// The failures that the file sets for single operations, in the file's order.
        package var forcedErrors: [ForcedError] = []
        /// The app's Apple ID, a number of App Store Connect, if the file is synchronized with App Store Connect.
        package var applicationInternalIdentifier: String?
        /// The developer's team, if the file is synchronized.
        package var developerTeamIdentifier: String?
        /// The date of the last synchronization with App Store Connect.
        package var lastSynchronizedDate: Date?

        /// Creates the settings of an empty file.
        package init() {}
    }

    /// A failure that a file sets for one operation.
    package struct ForcedError: Hashable, Sendable {
        /// The choice of an error from one of Xcode's menus.
        package struct Choice: Hashable, Sendable {
            /// The family of errors to which the menu belongs, such as `generic`, `purchase` or `verification`.
            package var type: String
            /// The index of the error in the menu, from 0.
            package var index: Int
            /// Creates a choice by the index in a menu.
            package init(type: String, index: Int) {
                self.type = type
                self.index = index
            }
        }

        /// The operation, by its name in Xcode, such as `Load Products`.
        package var operation: String
        /// Whether the failure is turned on.
        package var isEnabled: Bool
        /// The error with which the operation fails; nil if none is chosen.
        ///
        /// The choice remains set while the failure is turned off.
        package var choice: Choice?

        /// Creates a failure.
        package init(operation: String, isEnabled: Bool, choice: Choice? = nil) {
            self.operation = operation
            self.isEnabled = isEnabled
            self.choice = choice
        }
    }
}

extension StoreConfiguration {
    /// A warning about a part of a file that is probably a mistake or not supported, but does not prevent its use.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// The file's path, or the name that was passed with its content.
        package let file: String
        /// The place in the file, as in `products[2].familySharable`.
        package let path: String
        /// The problem and its consequence.
        ///
        /// The wording is not stable.
        package let reason: String

        /// One line with the file, the place and the reason.
        public var description: String { "\(file): \(path): \(reason)" }
    }

    /// Warnings that are collected when they are first read, so that loading a file is faster.
    final class LateWarnings: Hashable, Sendable {
        private enum State: Sendable {
            case unread(@Sendable () -> [Warning])
            case read([Warning])
        }

        private let state: Locked<State>

        /// Creates warnings from a function that finds them.
        ///
        /// The function is called at most once, with a lock held, and must not read these warnings.
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

/// The error for an invalid `.storekit` file, with the place, the expected value and the value found.
public struct StoreConfigurationError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The file's path, or the name that was passed with its content.
    package let file: String
    /// The place in the file, as in `subscriptionGroups[0].subscriptions[2].displayPrice`; empty for the whole file.
    package let path: String
    /// The expected value, in words.
    ///
    /// The wording is not stable.
    package let expected: String
    /// The value found, in words.
    ///
    /// The wording is not stable.
    package let found: String

    init(file: String, path: String, expected: String, found: String) {
        self.file = file
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// One sentence with the file, the place, the expected value and the value found.
    public var description: String { "\(file): \(path.isEmpty ? "" : "\(path): ")expected \(expected), found \(found)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
