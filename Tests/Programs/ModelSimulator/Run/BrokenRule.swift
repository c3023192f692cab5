/// A rule that a run broke.
package struct BrokenRule: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in a sentence.
    package let sentence: String
    /// The number of completed operations; all of them, if the violation showed when the run was wound up.
    package let operation: Int

    /// The sentence and the operation's number.
    package var description: String { "\(sentence) (operation \(operation))" }
}
