extension Transaction {
    /// The cause of the transaction: ``Reason/purchase`` if the store does not tell.
    public var reason: Reason { payload.transactionReason.map { Reason(rawValue: $0.rawValue) } ?? .purchase }

    /// The cause of a transaction.
    public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a cause, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought the product, or has it from the family since it was bought.
        public static let purchase = Reason(rawValue: "PURCHASE")
        /// A subscription renewed.
        public static let renewal = Reason(rawValue: "RENEWAL")
    }
}
