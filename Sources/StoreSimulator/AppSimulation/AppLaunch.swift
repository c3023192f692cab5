import Foundation
import StoreCore

/// A launch of a simulated app.
public final class AppLaunch: Sendable {
    /// The number of the launch, from 0, whichever device it is on.
    public let number: Int
    /// What the app keeps between launches, on the device on which it is launched.
    public let storage: AppStorage
    /// The clock of the life, for an app that is given one.
    public let clock: AppClock
    /// The signer of the life's receipts, for an app that verifies them as `AppReceipt(verifying:signer:)` does.
    public let receiptSigner: any ReceiptSigner
    private let storeClock: ManualClock

    init(
        number: Int,
        storage: AppStorage,
        clock: AppClock,
        receiptSigner: any ReceiptSigner,
        storeClock: ManualClock
    ) {
        self.number = number
        self.storage = storage
        self.clock = clock
        self.receiptSigner = receiptSigner
        self.storeClock = storeClock
    }

    /// The date by the store's clock.
    ///
    /// Apps have to ask for it here where they compare dates: `Date()` is the real date, which does not move with the run.
    public var now: Date { storeClock.now }
}
