import Foundation
import StoreCore

// A session's access to its store.
extension SKTestSession {
    /// What an initializer with parameters of StoreCore's hands to Store Kit's own.
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

    func set(_ change: (inout StoreConfiguration.Settings) -> Void) {
        environment.set(in: context, change)
    }

    /// Runs a body on the store, and translates the store's refusal into a session's error.
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
            throw SKTestError(.invalidProductIdentifier, "the configuration has no product \"\(identifier)\"")
        }
        return product
    }

    /// Returns the group of a product that is subscribed to now.
    func group(of productIdentifier: String) throws -> String {
        guard let group = try product(productIdentifier).subscription?.groupIdentifier else {
            throw SKTestError(.invalidProductType, "\"\(productIdentifier)\" is no auto-renewable subscription")
        }
        guard store.account.subscription(inGroup: group)?.productIdentifier.isExactly(productIdentifier) == true else {
            throw SKTestError(.noSubscriptionFound, "nobody is subscribed to \"\(productIdentifier)\"")
        }
        return group
    }

    /// Translates a refusal by the store into a session's error; other errors stay as they are.
    private static func testError(_ error: any Error) -> any Error {
        switch error {
        case SandboxError.notSubscribed: SKTestError(.noSubscriptionFound, "\(error)")
        case is SandboxError: SKTestError(.invalidAction, "\(error)")
        case let failure as StoreFailure: SKTestError(.invalidAction, failure.reason)
        default: error
        }
    }
}
