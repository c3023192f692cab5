extension AppStore {
    /// An environment in which a store signs.
    public struct Environment: RawRepresentable, Equatable, Hashable, Sendable {
        /// The environment's name in payloads.
        public let rawValue: String
        /// Creates an environment, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Real purchases.
        public static let production = Environment(rawValue: "Production")
        /// Purchases in a sandbox store.
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// Purchases in Xcode's local store.
        public static let xcode = Environment(rawValue: "Xcode")
    }
}
