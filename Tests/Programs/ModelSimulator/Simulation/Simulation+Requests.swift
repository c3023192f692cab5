import Foundation
import StoreCore

// Requests of apps, and their changes to promotions.
extension Simulation {
    /// Requests all products on a device.
    func requestProducts(on device: Int) {
        let app = apps[device]
        let identifiers = Set(SimulatedOperation.Product.allCases.map(\.rawValue))
        app.send(app.context.run { SKProductsRequest(productIdentifiers: identifiers) })
    }

    /// Refreshes the receipt of the app on a device, and reads it.
    ///
    /// It does not ask for a receipt that it still waits for.
    func refreshReceipt(_ kind: SimulatedOperation.ReceiptKind, on device: Int) {
        guard !eventLog.requests[device].mayArrive(.receipt(kind)) else { return }
        let wishes = [
            SKReceiptPropertyIsExpired: kind == .expired, SKReceiptPropertyIsRevoked: kind == .revoked,
            SKReceiptPropertyIsVolumePurchase: kind == .volume,
        ]
        let app = apps[device]
        let probe = app.send(app.context.run { SKReceiptRefreshRequest(receiptProperties: wishes) })
        guard probe.outcome == .done, !crashInjector.store.hasCrashed else { return }
        if let violation = checkReceipt(on: device) { eventLog.broke(violation) }
    }

    /// Reads the country on a device.
    func readStorefront(on device: Int) {
        eventLog.requests[device].hasLostCountry = false
        let country = apps[device].queue.storefront?.countryCode
        if crashInjector.store.hasCrashed || apps[device].process.hasCrashed { return }
        let right = eventLog.requests[device].hasLostCountry ? nil : modelDriver.model.prices.country.rawValue
        if country != right {
            eventLog.broke("device \(device) reads the country \(country ?? "nil"), not \(right ?? "nil")")
        }
    }

    // MARK: Promotions

    func orderPromotions(_ products: [SimulatedOperation.Product], on device: Int) {
        let order = products.map { SKProduct(productIdentifier: $0.rawValue) }
        apps[device].change { $0.update(storePromotionOrder: order, completionHandler: $1) }
    }

    func setPromotion(of product: SimulatedOperation.Product, isShown: Bool?, on device: Int) {
        let visibility: SKProductStorePromotionVisibility = isShown.map { $0 ? .show : .hide } ?? .default
        let product = SKProduct(productIdentifier: product.rawValue)
        apps[device].change {
            $0.update(storePromotionVisibility: visibility, for: product, completionHandler: $1)
        }
    }

    /// Reads an app's own changes on a device.
    func readPromotions(on device: Int) {
        let overrides = modelDriver.model.promotionOverrides(on: device)
        for product in SimulatedOperation.Product.allCases {
            let visibility = apps[device].visibility(of: product)
            let right = overrides.visibility[product.rawValue].map { $0 ? 1 : 2 } ?? 0
            if visibility?.rawValue != right {
                eventLog.broke("device \(device) reads \(visibility as Any) of \(product)'s visibility, not \(right)")
            }
        }
        apps[device].readOrder(overrides.order)
    }

    /// Checks that devices show the promotions and changes of the model.
    func checkPromotions() -> String? {
        for (device, name) in Model.deviceNames.enumerated() {
            let promoted = store.device(named: name)?.promotedProducts ?? []
            let right = modelDriver.model.promoted(on: device).map(\.rawValue)
            if promoted != right { return "device \(device) shows \(promoted), and should \(right)" }
            let overrides = store.device(named: name)?.promotionOverrides
            let changes = modelDriver.model.promotionOverrides(on: device)
            if overrides != changes {
                return "the app on device \(device) has changed \(overrides as Any), and should have \(changes)"
            }
        }
        return nil
    }

    /// Checks that every request has been answered, when nothing is in flight.
    func checkRequests() -> String? {
        for device in apps.indices {
            if let violation = eventLog.requests[device].forgotten ?? apps[device].closeProbes() { return violation }
        }
        return nil
    }
}
