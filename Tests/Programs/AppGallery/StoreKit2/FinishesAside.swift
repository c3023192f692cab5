import StoreKit
import StoreSimulator

extension Exhibit {
    static let finishesAside = Exhibit(
        "A transaction is finished in a task of its own",
        complaint: "Sometimes a sword is missing. It works in the debugger.",
        faulty: FinishesAside.self,
        mended: Shop2.self
    )
}

private final class FinishesAside: Shop2 {
    override func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        // Nobody waits for this task, which may be done before the item is kept.
        Task { await transaction.finish() }
        await loadPicture()
        keep(transaction)
    }

    private func loadPicture() async { await Task.yield() }
}
