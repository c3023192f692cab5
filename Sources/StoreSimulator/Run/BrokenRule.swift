/// A rule that a run broke.
public struct BrokenRule: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in a sentence.
    public let sentence: String
    /// The number of completed operations; all of them, if the violation showed when the run was wound up.
    public let operation: Int

    /// The sentence and the operation's number.
    public var description: String { "\(sentence) (operation \(operation))" }
}
