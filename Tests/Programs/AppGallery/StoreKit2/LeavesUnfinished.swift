import StoreKit
import StoreSimulator

extension Exhibit {
    static let leavesUnfinished = Exhibit(
        "A transaction is never finished",
        complaint: "Each time I open the app it thanks me for the same sword.",
        faulty: LeavesUnfinished.self,
        mended: Shop2.self
    )
}

private final class LeavesUnfinished: Shop2 {
    override func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        // It is an update of each launch to come.
        keep(transaction)
    }
}
