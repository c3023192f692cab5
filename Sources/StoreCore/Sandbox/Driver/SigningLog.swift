/// The lines in a store's log about receipts that could not be signed.
///
/// A receipt is missing then, and read again and again by whoever waits for it: there is one line for each kind of receipt.
struct SigningLog: Sendable {
    /// What could not be signed.
    enum Subject: String {
        case appReceipt = "an app receipt"
        case transactionReceipt = "a transaction's receipt"
    }

    private let log: StoreLog
    private let told = Locked<Set<Subject>>([])

    init(_ log: StoreLog) { self.log = log }

    /// Writes the first error about a subject.
    func add(_ subject: Subject, _ error: any Error) {
        guard told.withLock({ $0.insert(subject).inserted }) else { return }
        // Readers hold locks, of the store and of the file with the receipt.
        CallScope.afterwards { log("\(subject.rawValue) could not be signed, and its readers find none: \(error)") }
    }
}
