import Foundation

/// Why a `.storekit` file was refused: where, what belongs there and what is there instead.
public struct StoreConfigurationError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The file's path, or the name that its content was given.
    public let file: String
    /// The place in it, as in `subscriptionGroups[0].subscriptions[2].displayPrice`; empty for the file as a whole.
    public let path: String
    /// What belongs there.
    ///
    /// The wording is not stable.
    public let expected: String
    /// What is there.
    ///
    /// The wording is not stable.
    public let found: String

    init(file: String, path: String, expected: String, found: String) {
        self.file = file
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// One sentence with the file, the place, what belongs there and what is there.
    public var description: String {
        "\(file): \(path.isEmpty ? "" : "\(path): ")expected \(expected), found \(found)"
    }

    /// The sentence.
    public var errorDescription: String? { description }
}
