/// The errors of a store that serves remote devices: its server logs them, and the devices do not see them.
///
/// An error may contain the address of a database and a role, which a remote device must not learn. An app in the
/// store's own process receives the ledger's error as it is.
package final class ConcealedErrors: Sendable {
    @TaskLocal private static var current: ConcealedErrors?

    private let lines = Locked<[String]>([])

    private init() {}

    /// Runs `body`, in which ``StoreFailure/init(ofStore:)`` conceals errors, and then logs them.
    package static func logged<Result>(in log: StoreLog, _ body: () throws -> Result) rethrows -> Result {
        let errors = ConcealedErrors()
        defer {
            for line in errors.lines.withLock({ $0 }) {
                log("a device hears only that the store cannot answer: \(line)")
            }
        }
        return try $current.withValue(errors, operation: body)
    }

    /// Stores an error for the log; returns false outside of ``logged(in:_:)``, where errors are not concealed.
    fileprivate static func add(_ error: any Error) -> Bool {
        guard let current else { return false }
        current.lines.withLock { $0.append(String(describing: error)) }
        return true
    }
}

extension StoreFailure {
    /// Converts an error of the store's own parts, such as its ledger or its signer.
    ///
    /// A `StoreFailure` or a ``SandboxError`` is written for apps and stays as it is. Every other error keeps its code;
    /// if errors are concealed, a plain sentence replaces its description.
    package init(ofStore error: any Error) {
        let failure = StoreFailure(error)
        guard !(error is StoreFailure), !(error is SandboxError), ConcealedErrors.add(error) else {
            self = failure
            return
        }
        let reason = "the store cannot answer now, for a reason that is in its server's log"
        self.init(domain: failure.domain, code: failure.code, reason: reason)
    }
}
