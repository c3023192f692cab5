import StoreKit
import StoreSimulator

extension Exhibit {
    static let finishesBeforeKeeping = Exhibit(
        "A transaction is finished before its item is kept",
        complaint: "I paid, the app crashed, and the sword never came.",
        faulty: FinishesBeforeKeeping.self,
        mended: Shop1.self
    )
}

private final class FinishesBeforeKeeping: Shop1 {
    override func deliver(_ transaction: SKPaymentTransaction) {
        // A process that ends between the two lines has nothing to show for the money.
        SKPaymentQueue.default().finishTransaction(transaction)
        keep(transaction)
    }
}
