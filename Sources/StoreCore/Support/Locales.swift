import Foundation

/// A cache of locales by identifier, because creating one dominates the cost of reading a price.
enum Locales {
    private static let known = Locked<[String: Locale]>([:])
    private static let limit = 1024

    static func locale(_ identifier: String) -> Locale {
        known.withLock { known in
            if let locale = known[identifier] { return locale }
            let locale = Locale(identifier: identifier)
            if known.count >= limit { known.removeAll() }
            known[identifier] = locale
            return locale
        }
    }
}
