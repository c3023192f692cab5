import Foundation
import StoreCore

// A session's access to its store.
extension SKTestSession {
    /// The parameters that this library's initializers add to those of Apple's, and pass to the designated initializer.
    struct Handover {
        var clock: (any StoreClock)?
        var signer: (any ReceiptSigner)?
    }

    static func open(_ fileURL: URL, with handover: Handover?) throws -> (StoreContext, TestEnvironment) {
        let parts = TestEnvironment.Parts(
            configuration: try ConfigurationSearch.configuration(at: fileURL),
            clock: handover?.clock,
            signer: handover?.signer
        )
        let context = StoreContext.current
        return (context, try TestEnvironment.environment(in: context, of: parts))
    }

    func set(_ change: (inout StoreConfiguration.Settings) -> Void) { environment.set(in: context, change) }

    /// Runs a body on the store, and converts the store's refusal to a session's error.
    func act(_ body: (SandboxStore) throws -> Void) throws {
        do {
            try body(store)
        } catch {
            throw Self.testError(error)
        }
    }

    func act(on identifier: UInt, _ body: (SandboxStore, SandboxTransaction) throws -> Void) throws {
        let transaction = try TestHistory(store).transaction(identifier)
        try act { store in try body(store, transaction) }
    }

    func act(onSubscriptionOf identifier: UInt, _ body: (SandboxAccount, String) throws -> Void) throws {
        let subscription = try TestHistory(store).subscription(identifier)
        try act { store in try body(store.account, subscription.groupIdentifier) }
    }

    func product(_ identifier: String) throws -> SandboxProduct {
        guard let product = environment.products.first(where: { $0.identifier.isExactly(identifier) }) else {
            let names = environment.products.map { "\"\($0.identifier)\"" }
            let others = (1...8).contains(names.count) ? ", only \(names.joined(separator: ", "))" : ""
            throw SKTestError(
                .invalidProductIdentifier,
                "the configuration has no product \"\(identifier)\"\(others)"
            )
        }
        return product
    }

    /// Returns the subscription group of a product; throws if no subscription to the product is active.
    func group(of productIdentifier: String) throws -> String {
        guard let group = try product(productIdentifier).subscription?.groupIdentifier else {
            throw SKTestError(.invalidProductType, "\"\(productIdentifier)\" is no auto-renewable subscription")
        }
        guard store.account.subscription(inGroup: group)?.productIdentifier.isExactly(productIdentifier) == true else {
            throw SKTestError(.noSubscriptionFound, "nobody is subscribed to \"\(productIdentifier)\"")
        }
        return group
    }

    /// Converts a refusal by the store to a session's error; other errors are unchanged.
    private static func testError(_ error: any Error) -> any Error {
        switch error {
        case let refusal as SandboxError:
            if case .notSubscribed = refusal.reason {
                SKTestError(.noSubscriptionFound, "\(error)")
            } else {
                SKTestError(.invalidAction, "\(error)")
            }
        case let failure as StoreFailure: SKTestError(.invalidAction, failure.reason)
        default: error
        }
    }
}

extension SKTestSession {
    /// The rate at which subscriptions renew (behaviors 222 to 225).
    ///
    /// Later versions may add rates: a `switch` needs `@unknown default`.
    @nonexhaustive
    public enum TimeRate: Int, Sendable {
        /// Periods have the lengths of the calendar.
        case realTime = 0
        /// A day lasts an hour.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case oneHourIsOneDay = 1
        /// A day lasts 30 minutes.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case thirtyMinutesIsOneDay = 2
        /// A day lasts five minutes.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case fiveMinutesIsOneDay = 3
        /// A day lasts a minute.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case oneMinuteIsOneDay = 4
        /// A day lasts 30 seconds.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case thirtySecondsIsOneDay = 5
        /// A day lasts a second.
        @available(*, deprecated, message: "a rate by month or by renewal takes its place")
        case oneSecondIsOneDay = 6
        /// A month lasts an hour.
        case monthlyRenewalEveryHour = 10
        /// A month lasts 30 minutes.
        case monthlyRenewalEveryThirtyMinutes = 11
        /// A month lasts 15 minutes.
        case monthlyRenewalEveryFifteenMinutes = 12
        /// A month lasts five minutes.
        case monthlyRenewalEveryFiveMinutes = 13
        /// A month lasts 30 seconds.
        case monthlyRenewalEveryThirtySeconds = 15
        /// Every period lasts 15 minutes.
        case oneRenewalEveryFifteenMinutes = 1000
        /// Every period lasts five minutes.
        case oneRenewalEveryFiveMinutes = 1001
        /// Every period lasts a minute.
        case oneRenewalEveryMinute = 1002
        /// Every period lasts 30 seconds.
        case oneRenewalEveryThirtySeconds = 1003
        /// Every period lasts ten seconds.
        case oneRenewalEveryTenSeconds = 1004
        /// Every period lasts two seconds.
        case oneRenewalEveryTwoSeconds = 1005
    }
}
