/// The name of a transaction in every launch: a payment's number, or the store's name for what no app ordered.
enum TransactionName: Hashable, CustomStringConvertible {
    case payment(Int)
    case transaction(String)

    var description: String {
        switch self {
        case .payment(let tag): "payment \(tag)"
        case .transaction(let identifier): "transaction \(identifier)"
        }
    }
}
