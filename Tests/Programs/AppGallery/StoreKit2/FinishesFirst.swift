import StoreKit
import StoreSimulator

extension Exhibit {
    static let finishesFirst = Exhibit(
        "A transaction is finished before its item is kept",
        complaint: "I paid, the app crashed, and the sword never came.",
        faulty: FinishesFirst.self,
        mended: Shop2.self
    )
}

private final class FinishesFirst: Shop2 {
    override func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        // A process that ends between the two lines has nothing to show for the money.
        await transaction.finish()
        keep(transaction)
    }
}
