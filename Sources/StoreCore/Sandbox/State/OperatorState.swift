import Foundation

/// The state that the operator's changes add up to.
struct OperatorState: StatePart, Equatable {
    /// The accounts with Ask to Buy.
    var askingAccounts: Set<AccountID> = []
    /// The accounts whose orders are interrupted.
    var interruptedAccounts: Set<AccountID> = []
    /// The interrupted purchases, by their failed transactions.
    var issues: [TransactionNumber: Issue] = [:]

    /// For each device, the purchases begun on the store's page of which its app has not been told, oldest first.
    var promotions: [DeviceID: [Promotion]] = [:]
    /// The promotions that apps have changed on their devices.
    var promotionOverrides: [DeviceID: PromotionOverrides] = [:]

    /// The tokens of devices elsewhere.
    var tokens = DeviceTokens()

    /// An interrupted purchase.
    struct Issue: Hashable, Codable, Sendable {
        let account: AccountID
        let device: DeviceID
        let payment: StorePayment
    }
}
