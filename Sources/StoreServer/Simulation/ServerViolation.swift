/// A broken rule in the life of a server.
struct ServerViolation: Error {
    /// The identity of the rule, independent of the numbers in the sentence.
    let rule: String
    let sentence: String
}
