import Foundation

/// The content of one of Xcode's `.storekit` files: products, subscription groups and the settings for testing.
///
/// Every format from 1.0 to 6.3 is read, and a newer one as if it were the newest of these. Missing keys have the value that
/// Xcode leaves out. An invalid file is refused as a whole, with the place of the error; what is ignored in a valid one is in
/// its ``warnings``.
///
/// ```swift
/// let configuration = try StoreConfiguration(contentsOf: url)
/// for product in configuration.products { print(product.identifier, product.price) }
/// ```
public struct StoreConfiguration: Hashable, Sendable {
    /// The format that a file is written in.
    public struct Version: Hashable, Sendable, CustomStringConvertible {
        /// The major number, which changes when older readers would fail.
        public var major: Int
        /// The minor number, which changes with additions.
        public var minor: Int
        /// Both numbers with a point between them.
        public var description: String { "\(major).\(minor)" }
    }

    /// A group of subscriptions, of which a user can have one at a time.
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

    /// The key that signs promotional offers while testing.
    ///
    /// Printing or dumping it shows its identifier only.
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

    /// The major number of the newest format that is known.
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
    /// The key that signs promotional offers, nil where the file has none.
    public var subscriptionOffersKeyPair: OffersKeyPair?
    /// The places in the file that are probably mistakes, or that nothing here reads; none of them prevents its use.
    ///
    /// * Each key that is not known, with the one that may have been meant.
    /// * A format newer than ``newestMajorVersion``, and products of a newer kind: suites and bundles of subscriptions are not
    ///   sold yet.
    /// * A product whose price is empty: it sells at 0.
    /// * A locale that a product or group has twice, of which the first counts.
    /// * An offer whose identifier an earlier offer of the same list has: no purchase reaches it.
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
