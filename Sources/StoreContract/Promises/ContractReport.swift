import Foundation
import StoreCore

/// The results of checking a store against the contract.
public struct ContractReport: Hashable, Sendable, CustomStringConvertible {
    /// The result for one promise.
    public enum Verdict: Hashable, Sendable {
        /// The promise was tested, and no violation was found.
        case kept
        /// The promise was violated; a sentence says what was found first.
        case broken(why: String)
        /// The promise could not be tested; a sentence says why.
        case notTried(because: String)
    }

    /// A promise and its verdict.
    public struct Entry: Hashable, Sendable {
        /// The promise.
        public let promise: ContractPromise
        /// The result for the promise.
        public let verdict: Verdict
    }

    /// Every promise, in the order of ``ContractPromise/allCases``.
    public let entries: [Entry]

    /// Whether no promise is broken.
    ///
    /// Some promises may not have been tested, see ``notTried``. If the store does not open, the promise
    /// `a store opens` is broken.
    public var isKept: Bool { broken.isEmpty }

    /// The promises that are broken.
    public var broken: [ContractPromise] {
        entries.compactMap { if case .broken = $0.verdict { $0.promise } else { nil } }
    }

    /// The promises that could not be tested.
    public var notTried: [ContractPromise] {
        entries.compactMap { if case .notTried = $0.verdict { $0.promise } else { nil } }
    }

    /// Returns the verdict on the promise with a name; one that no promise has was not tried.
    public subscript(name: String) -> Verdict {
        entries.first { $0.promise.name == name }?.verdict ?? .notTried(because: "the suite does not know this promise")
    }

    /// Returns the verdict on one promise.
    package subscript(promise: ContractPromise) -> Verdict { self[promise.name] }

    /// A summary line, then one line for each promise: first the broken ones, then those that were not tested.
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

/// A collector of verdicts while the suite runs, on its single thread.
final class ResultCollector {
    private var verdicts: [ContractPromise: ContractReport.Verdict] = [:]

    /// Records the result of a test: a promise counts as kept unless some test breaks it.
    ///
    /// Only the explanation of the first failed test is stored.
    func hold(_ promise: ContractPromise, _ isKept: Bool, _ why: @autoclosure () -> String) {
        if case .broken = verdicts[promise] { return }
        verdicts[promise] = isKept ? .kept : .broken(why: why())
    }

    /// Records that promises could not be tested here.
    ///
    /// A promise that has a verdict keeps it.
    func skip(_ promises: [ContractPromise], because reason: String) {
        for promise in promises where verdicts[promise] == nil { verdicts[promise] = .notTried(because: reason) }
    }

    func skipTheRest(because reason: String) { skip(ContractPromise.allCases, because: reason) }

    func isBroken(_ promise: ContractPromise) -> Bool { if case .broken = verdicts[promise] { true } else { false } }

    /// The reason to stop the suite, which is a broken promise on which all other tests rely; nil for none.
    var reasonToGiveUp: String? {
        [.opens, .submissionsAnswered, .snapshotFirst, .goesQuiet].first(where: isBroken).map {
            "\"\($0.name)\" is broken"
        }
    }

    func report() -> ContractReport {
        ContractReport(
            entries: ContractPromise.allCases.map { promise in
                let verdict = verdicts[promise] ?? .notTried(because: "the store did not get that far")
                return ContractReport.Entry(promise: promise, verdict: verdict)
            }
        )
    }
}
