/// The results of checking a store against the contract.
public struct ContractReport: Hashable, Sendable, CustomStringConvertible {
    /// The result for one promise.
    public enum Verdict: Hashable, Sendable {
        /// The promise was tested, and nothing was seen to break it.
        case kept
        /// The promise was broken; a sentence says what was seen first.
        case broken(why: String)
        /// The promise could not be tested; a sentence says why.
        case notTried(because: String)
    }

    /// A promise and its verdict.
    public struct Entry: Hashable, Sendable {
        /// The promise.
        public let promise: ContractPromise
        /// Its result.
        public let verdict: Verdict
    }

    /// Every promise, in the order of ``ContractPromise/allCases``.
    public let entries: [Entry]

    /// Whether no promise is broken.
    ///
    /// Some may not have been tried, see ``notTried``. A store that does not even open breaks a promise.
    public var isKept: Bool { broken.isEmpty }

    /// The promises that are broken.
    public var broken: [ContractPromise] {
        entries.compactMap { if case .broken = $0.verdict { $0.promise } else { nil } }
    }

    /// The promises that could not be tested.
    public var notTried: [ContractPromise] {
        entries.compactMap { if case .notTried = $0.verdict { $0.promise } else { nil } }
    }

    /// Returns the verdict on one promise.
    public subscript(promise: ContractPromise) -> Verdict {
        entries.first { $0.promise == promise }?.verdict ?? .notTried(because: "the suite does not know this promise")
    }

    /// A line with the figures, then one for each promise: the broken ones first, then those that were not tested.
    public var description: String {
        let kept = entries.filter { $0.verdict == .kept }
        var lines = ["\(kept.count) kept, \(broken.count) broken, \(notTried.count) not tried"]
        for case let (promise, .broken(why)) in entries.map({ ($0.promise, $0.verdict) }) {
            lines.append("BROKEN     \(promise.name): \(why)")
            lines.append("           promised is: \(promise.sentence)")
        }
        for case let (promise, .notTried(reason)) in entries.map({ ($0.promise, $0.verdict) }) {
            lines.append("not tried  \(promise.name): \(reason)")
        }
        lines += kept.map { "kept       \($0.promise.name)" }
        return lines.joined(separator: "\n")
    }
}
