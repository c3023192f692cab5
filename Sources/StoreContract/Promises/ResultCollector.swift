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
