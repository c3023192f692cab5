/// The number of a transaction, from 1 in the order of creation.
///
/// In decimal digits it is the transaction's identifier.
struct TransactionNumber: TypedNumber {
    let rawValue: Int

    /// The identifier of the transaction.
    var identifier: String { String(rawValue) }
}

extension TransactionNumber {
    /// Creates the number of an identifier, nil if a store never gives that: "007" is not "7".
    init?(_ identifier: String) {
        guard let value = Int64(spelledBy: identifier) else { return nil }
        self.init(rawValue: Int(value))
    }
}
