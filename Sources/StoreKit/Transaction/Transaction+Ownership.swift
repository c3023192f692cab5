extension Transaction {
    /// Whether the account bought the product or has it from somebody else.
    public var ownershipType: OwnershipType { OwnershipType(rawValue: payload.inAppOwnershipType.rawValue) }

    /// The relation of an account to a transaction.
    public struct OwnershipType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a relation, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The account paid for it.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A member of the account's family paid for it.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
        /// An organization paid for it and assigned it to the account.
        public static var assigned: OwnershipType { OwnershipType(rawValue: "ASSIGNED") }

        /// The relation in words, in English.
        public var localizedDescription: String {
            switch self {
            case .purchased: "Purchased"
            case .familyShared: "Shared by the family"
            case .assigned: "Assigned"
            default: "Unknown"
            }
        }
    }
}
