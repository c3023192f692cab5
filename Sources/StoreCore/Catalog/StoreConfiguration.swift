import Foundation

/// What one of Xcode's `.storekit` files says: products, subscription groups and the settings for testing.
///
/// Every format from 1.0 to 5.0 is read. Keys that a file lacks have the value that Xcode leaves out, and keys that
/// nobody knows are ignored. A file that makes no sense is refused as a whole, with the place that is wrong.
///
/// ```swift
/// let configuration = try StoreConfiguration(contentsOf: url)
/// for product in configuration.products { print(product.identifier, product.price) }
/// ```
public struct StoreConfiguration: Hashable, Sendable {
    /// The format that a file is written in.
    public struct Version: Hashable, Sendable, CustomStringConvertible {
        /// Changes when older readers would go wrong.
        public var major: Int
        /// Changes when something is added.
        public var minor: Int
        /// Both numbers with a point between them.
        public var description: String { "\(major).\(minor)" }
    }

    /// Subscriptions, of which a user can have one at a time.
    public struct SubscriptionGroup: Hashable, Sendable {
        /// Names the group; its subscriptions refer to it.
        public var identifier: String
        /// What its owner calls it.
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
        /// The identifier.
        public var description: String { "offers key \(identifier)" }
        /// The identifier, without the key.
        public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }
    }

    /// The newest format that is read, in its major number.
    public static let newestMajorVersion = 5

    /// What Xcode calls the file; nil in a file of format 1.0.
    public var identifier: String?
    /// The format it is written in.
    public var version: Version
    /// Everything that is for sale: consumables and non-consumables, then non-renewing, then auto-renewable
    /// subscriptions, each in the file's order.
    public var products: [SandboxProduct]
    /// The groups of the auto-renewable ones.
    public var subscriptionGroups: [SubscriptionGroup]
    /// How the store should behave in a test.
    public var settings: Settings
    /// The key that signs promotional offers, where the file has one.
    public var subscriptionOffersKeyPair: OffersKeyPair?
    /// The places in the file that are probably mistakes but do not prevent its use.
    ///
    /// An offer whose identifier an earlier offer of the same list has: no purchase reaches it.
    public let warnings: [StoreConfigurationError]

    init(
        identifier: String?,
        version: Version,
        products: [SandboxProduct],
        subscriptionGroups: [SubscriptionGroup],
        settings: Settings,
        subscriptionOffersKeyPair: OffersKeyPair?,
        warnings: [StoreConfigurationError]
    ) {
        self.identifier = identifier
        self.version = version
        self.products = products
        self.subscriptionGroups = subscriptionGroups
        self.settings = settings
        self.subscriptionOffersKeyPair = subscriptionOffersKeyPair
        self.warnings = warnings
    }
}
