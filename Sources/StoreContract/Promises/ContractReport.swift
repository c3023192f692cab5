import Foundation
import StoreCore

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

/// The collector of verdicts while the suite runs, on its one thread.
final class ResultCollector {
    private var verdicts: [ContractPromise: ContractReport.Verdict] = [:]

    /// Records that a promise was tested: it stays kept unless something breaks it.
    ///
    /// The first sentence about a broken promise is kept.
    func hold(_ promise: ContractPromise, _ isKept: Bool, _ why: @autoclosure () -> String) {
        if case .broken = verdicts[promise] { return }
        verdicts[promise] = isKept ? .kept : .broken(why: why())
    }

    /// Records that a promise could not be tested here.
    ///
    /// A verdict from elsewhere is kept.
    func skip(_ promises: [ContractPromise], because reason: String) {
        for promise in promises where verdicts[promise] == nil { verdicts[promise] = .notTried(because: reason) }
    }

    func skipTheRest(because reason: String) { skip(ContractPromise.allCases, because: reason) }

    func isBroken(_ promise: ContractPromise) -> Bool {
        if case .broken = verdicts[promise] { true } else { false }
    }

    /// The reason to give up: nothing else can be tested with a store that breaks these promises.
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
