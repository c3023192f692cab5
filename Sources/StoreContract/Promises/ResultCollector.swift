/// Where the verdicts are written while the suite runs, on its one thread.
final class ResultCollector {
    private var verdicts: [ContractPromise: ContractReport.Verdict] = [:]

    /// A promise was tried: it stays kept unless something breaks it.
    ///
    /// The first sentence about a broken promise stands.
    func hold(_ promise: ContractPromise, _ isKept: Bool, _ why: @autoclosure () -> String) {
        if case .broken = verdicts[promise] { return }
        verdicts[promise] = isKept ? .kept : .broken(why: why())
    }

    /// A promise could not be tried here; whatever is known of it from elsewhere stands.
    func skip(_ promises: [ContractPromise], because reason: String) {
        for promise in promises where verdicts[promise] == nil { verdicts[promise] = .notTried(because: reason) }
    }

    func skipTheRest(because reason: String) { skip(ContractPromise.allCases, because: reason) }

    func isBroken(_ promise: ContractPromise) -> Bool {
        if case .broken = verdicts[promise] { true } else { false }
    }

    /// Nothing else can be tried with a store that does not even do these things.
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
