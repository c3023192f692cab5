import Foundation

/// A text that equals another only if both have the same code units, as texts do in Apple's Store Kit.
///
/// A `String` also equals canonically equivalent strings, in which "é" may be one scalar or two.
package struct ExactText: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        let isEqual = left.text.utf8.withContiguousStorageIfAvailable { left in
            right.text.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count
                    && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
            }
        }
        return (isEqual ?? nil) ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the text; canonically equivalent texts share a hash, which is as fast as for a `String`.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    /// Returns whether a text has the same code units.
    package func isExactly(_ other: String) -> Bool { ExactText(self) == ExactText(other) }
}
