import Foundation

/// A text that equals another only if both have the same code units, as texts do in Apple's Store Kit.
///
/// A `String` also equals one that is canonically equivalent: there "é" is the same as one scalar and as two.
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

    /// Canonically equivalent texts have one hash, which is as quick as it is for a `String`.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    /// Whether a text has the same code units.
    package func isExactly(_ other: String) -> Bool { ExactText(self) == ExactText(other) }
}
