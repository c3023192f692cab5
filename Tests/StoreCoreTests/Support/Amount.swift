import Foundation

/// An amount as it is written.
func amount(_ text: String) -> Decimal {
    guard let amount = Decimal(string: text) else { fatalError("\(text) is no amount") }
    return amount
}
