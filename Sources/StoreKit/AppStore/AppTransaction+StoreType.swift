extension AppTransaction {
    /// The kind of store that sold the app: always ``StoreType/consumer``.
    public var storeType: StoreType { .consumer }

    /// The raw value of ``storeType``.
    @available(*, deprecated, renamed: "storeType")
    public var storeTypeStringRepresentation: String { storeType.rawValue }

    /// A kind of store.
    public struct StoreType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The kind's name in payloads.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store for everybody.
        public static let consumer = StoreType(rawValue: "CONSUMER")
        /// The store for schools.
        public static let education = StoreType(rawValue: "EDUCATION")
        /// The store for companies.
        public static let enterprise = StoreType(rawValue: "ENTERPRISE")
    }
}
