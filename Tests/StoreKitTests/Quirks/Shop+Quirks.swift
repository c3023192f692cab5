import StoreCore
import StoreKit

extension Shop {
    /// The length of the first period of a monthly subscription that is bought when a store's clock begins.
    static let month: TimeInterval = 31 * 86_400

    /// The products to which the account is entitled.
    var entitlements: [String] {
        get async { await run { await Transaction.currentEntitlements.all() }.map(\.unsafePayloadValue.productID) }
    }

    /// The status of the account's subscription in the group "club".
    var status: SubscriptionStatus? {
        get async throws { try await run { try await SubscriptionInfo.status(for: "club") }.first }
    }

    /// Ends the app's process, and launches it again.
    func relaunch() async {
        await context.settle()
        _ = queue.relaunch()
    }

    /// Returns the updates that an iteration receives before a purchase of coins, which is made here and finished.
    func updates(
        _ updates: inout Transaction.Transactions.AsyncIterator,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Transaction] {
        await context.settle()
        let coins = try store.account.buy("coins")
        var told: [Transaction] = []
        while let transaction = await updates.next()?.unsafePayloadValue {
            if String(transaction.id) == coins {
                await transaction.finish()
                break
            }
            told.append(transaction)
        }
        await context.settle()
        return told
    }
}

extension SubscriptionStatus {
    /// The state, and whether the subscription renews, in a line.
    var line: String {
        let renewal = renewalInfo.unsafePayloadValue.willAutoRenew ? "renews" : "does not renew"
        return "\(state.localizedDescription), \(renewal)"
    }
}
