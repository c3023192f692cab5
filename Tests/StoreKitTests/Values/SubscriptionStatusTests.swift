import StoreCore
import StoreKit
import Testing

@Suite struct SubscriptionStatusTests {
    private func subscription(
        _ transaction: (inout TransactionPayload) -> Void = { _ in },
        _ renewal: (inout RenewalPayload) -> Void = { _ in }
    ) throws -> SignedSubscription {
        let sold = try TransactionPayload.sample(transaction).signed()
        return SignedSubscription(transaction: sold, renewal: try RenewalPayload.sample(renewal).signed())
    }

    /// The end of a period that runs when the samples are signed.
    private let later = PayloadDate(milliseconds: 5_000)

    @Test func `A subscription whose period runs is subscribed`() async throws {
        #expect(try await subscription({ $0.expiresDate = later }).status().state == .subscribed)
    }

    @Test func `A subscription whose period is over is expired`() async throws {
        let end = PayloadDate(milliseconds: 2_500)
        #expect(try await subscription({ $0.expiresDate = end }).status().state == .expired)
        #expect(try await subscription().status().state == .expired)
    }

    @Test func `A subscription that could not be charged is in its grace period or in billing retry`() async throws {
        let grace =
            try subscription({ _ in }, { ($0.isInBillingRetryPeriod, $0.gracePeriodExpiresDate) = (true, later) })
        #expect(try await grace.status().state == .inGracePeriod)
        let retry = try subscription({ _ in }, { $0.isInBillingRetryPeriod = true })
        #expect(try await retry.status().state == .inBillingRetryPeriod)
    }

    @Test func `A subscription that was refunded is revoked, even if its period runs`() async throws {
        let revoked = try subscription {
            ($0.expiresDate, $0.revocationDate) = (later, PayloadDate(milliseconds: 2_000))
        }
        #expect(try await revoked.status().state == .revoked)
    }

    @Test func `A status has its transaction and its renewal, each with its own verification`() async throws {
        let forged = try TransactionPayload.sample().signed(with: .invalidSignature)
        let subscription = SignedSubscription(transaction: forged, renewal: try RenewalPayload.sample().signed())
        let status = try await subscription.status()
        #expect(status.transaction.unsafePayloadValue.id == 12)
        #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) {
            try status.transaction.payloadValue
        }
        #expect(try status.renewalInfo.payloadValue.currentProductID == "gold")
    }

    @Test func `Statuses are equal if all their parts are`() async throws {
        let status = try await subscription().status()
        #expect(try await subscription().status() == status)
        #expect(try await subscription({ _ in }, { $0.autoRenewStatus = .off }).status() != status)
        #expect(try await subscription({ $0.quantity = 2 }).status() != status)
    }

    @Test func `All statuses come a group at a time, in the store's order`() async throws {
        let subscriptions = try [("club", "1"), ("news", "2"), ("club", "3"), (nil, "4")].map { group, identifier in
            try subscription { ($0.subscriptionGroupIdentifier, $0.transactionId) = (group, identifier) }
        }
        let groups = await HistoryStore(subscriptions: subscriptions).run {
            await Product.SubscriptionInfo.Status.all.all()
        }
        #expect(groups.map(\.groupID) == ["club", "news"])
        #expect(groups.map { $0.statuses.map(\.transaction.unsafePayloadValue.id) } == [[1, 3], [2]])
    }

    @Test func `There are no statuses if the store does not answer`() async {
        #expect(await HistoryStore().run { await Product.SubscriptionInfo.Status.all.all() }.isEmpty)
    }

    @Test func `Each state has its number, and words of its own`() {
        let states: [Product.SubscriptionInfo.RenewalState] = [
            .subscribed, .expired, .inBillingRetryPeriod, .inGracePeriod, .revoked,
        ]
        #expect(states.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(Set(states.map(\.localizedDescription)).count == 5)
        #expect(Product.SubscriptionInfo.RenewalState(rawValue: 6).localizedDescription == "Unknown")
    }
}
