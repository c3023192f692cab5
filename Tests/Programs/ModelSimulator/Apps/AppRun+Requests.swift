import StoreCore

// Requests of an app, each with its probe.
extension AppRun {
    @discardableResult
    func send(_ request: SKRequest) -> RequestProbe {
        let probe = newProbe()
        request.delegate = probe
        request.start()
        probe.trackedRequest = requests.last
        return probe
    }

    /// Changes what is promoted.
    func change(_ action: (SKProductStorePromotionController, @escaping ((any Error)?) -> Void) -> Void) {
        let probe = newProbe()
        context.run { action(.default()) { probe.ended($0) } }
        probe.trackedRequest = requests.last
    }

    func visibility(of product: SimulatedOperation.Product) -> SKProductStorePromotionVisibility? {
        var found: SKProductStorePromotionVisibility?
        context.run {
            SKProductStorePromotionController.default()
                .fetchStorePromotionVisibility(for: SKProduct(productIdentifier: product.rawValue)) { visibility, _ in
                    found = visibility
                }
        }
        return found
    }

    /// Reads the promotion order, of which the store lists what it still sells.
    func readOrder(_ order: [String]) {
        let probe = newProbe(order: order)
        context.run {
            SKProductStorePromotionController.default().fetchStorePromotionOrder { probe.ended($0, $1) }
        }
        if !order.isEmpty { probe.trackedRequest = requests.last }
    }
}
