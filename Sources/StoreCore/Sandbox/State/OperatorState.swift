import Foundation

/// The state that the operator's changes add up to.
struct OperatorState: Codable, Sendable {
    /// The accounts with Ask to Buy.
    var askingAccounts: Set<Int> = []
    /// The accounts whose orders are interrupted.
    var interruptedAccounts: Set<Int> = []
    /// The interrupted purchases, by their failed transactions.
    var issues: [Int: Issue] = [:]

    /// For each device, the purchases begun on the store's page of which its app has not been told, oldest first.
    var promotions: [Int: [Promotion]] = [:]
    /// The promotions that apps have changed on their devices.
    var promotionOverrides: [Int: PromotionOverrides] = [:]

    /// An interrupted purchase.
    struct Issue: Codable, Sendable {
        let account: Int
        let device: Int
        let payment: StorePayment
    }
}
