import StoreCore

/// A store's storefront, whose reads pass at ``FaultInjector/Point/storefrontRead``.
final class FaultyStorefront: StorefrontService {
    private let service: any StorefrontService
    private let injector: FaultInjector

    init(_ service: any StorefrontService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    /// The store's value if the read passes, else nil.
    var storefront: StoreStorefront? {
        injector.perform { $0.read(.storefrontRead, &$1) } ? service.storefront : nil
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        service.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }
}
