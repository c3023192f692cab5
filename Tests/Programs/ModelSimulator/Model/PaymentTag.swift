import Foundation

/// The number of a payment, in what its app gives the store for its user's name.
///
/// Store Kit 1 takes any text, here the number in decimal. Store Kit 2 takes a UUID, here one that ends with the number.
enum PaymentTag {
    private static let prefix = "00000000-0000-4000-8000-"

    /// Returns the number in a user's name, nil if there is none.
    static func number(in username: String?) -> Int? {
        guard let username else { return nil }
        return username.utf8.count == 36 ? Int(username.suffix(12), radix: 16) : Int(username)
    }

    /// Returns the UUID of a number.
    static func token(_ number: Int) -> UUID? {
        let digits = String(number, radix: 16)
        return UUID(uuidString: prefix + String(repeating: "0", count: max(12 - digits.count, 0)) + digits)
    }
}
