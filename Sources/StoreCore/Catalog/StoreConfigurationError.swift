import Foundation

/// The error for a refused `.storekit` file: the place, the expected value and the one found.
public struct StoreConfigurationError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The file's path, or the name given with its content.
    public let file: String
    /// The place in it, as in `subscriptionGroups[0].subscriptions[2].displayPrice`; empty for the file as a whole.
    public let path: String
    /// The expected value.
    ///
    /// The wording is not stable.
    public let expected: String
    /// The value found.
    ///
    /// The wording is not stable.
    public let found: String

    init(file: String, path: String, expected: String, found: String) {
        self.file = file
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// One sentence with the file, the place, the expected value and the one found.
    public var description: String {
        "\(file): \(path.isEmpty ? "" : "\(path): ")expected \(expected), found \(found)"
    }

    /// The description.
    public var errorDescription: String? { description }
}
