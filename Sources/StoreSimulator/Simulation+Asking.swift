import Foundation
import StoreCore

// Requests of apps, and their changes to promotions.
extension Simulation {
    /// Requests all products on a device.
    func requestProducts(on device: Int) {
        let app = apps[device]
        let identifiers = Set(Step.Product.allCases.map(\.rawValue))
        app.send(app.context.run { SKProductsRequest(productIdentifiers: identifiers) })
    }

    /// Refreshes the receipt of the app on a device, and reads it.
    ///
    /// It does not ask for a receipt that it still waits for.
    func refreshReceipt(_ kind: Step.ReceiptKind, on device: Int) {
        guard !diary.inquiries[device].mayArrive(.receipt(kind)) else { return }
        let wishes = [
            SKReceiptPropertyIsExpired: kind == .expired, SKReceiptPropertyIsRevoked: kind == .revoked,
            SKReceiptPropertyIsVolumePurchase: kind == .volume,
        ]
        let app = apps[device]
        let errand = app.send(app.context.run { SKReceiptRefreshRequest(receiptProperties: wishes) })
        guard errand.outcome == .done, !lifeline.store.isDead else { return }
        if let violation = checkReceipt(on: device) { diary.broke(violation) }
    }

    /// Reads the country on a device.
    func readStorefront(on device: Int) {
        diary.inquiries[device].hasLostCountry = false
        let country = apps[device].queue.storefront?.countryCode
        if lifeline.store.isDead || apps[device].pulse.isDead { return }
        let right = diary.inquiries[device].hasLostCountry ? nil : witness.model.prices.country.rawValue
        if country != right {
            diary.broke("device \(device) reads the country \(country ?? "nil"), not \(right ?? "nil")")
        }
    }

    // MARK: Promotions

    func orderPromotions(_ products: [Step.Product], on device: Int) {
        let order = products.map { SKProduct(productIdentifier: $0.rawValue) }
        apps[device].change { $0.update(storePromotionOrder: order, completionHandler: $1) }
    }

    func setPromotion(of product: Step.Product, isShown: Bool?, on device: Int) {
        let visibility: SKProductStorePromotionVisibility = isShown.map { $0 ? .show : .hide } ?? .default
        let product = SKProduct(productIdentifier: product.rawValue)
        apps[device].change {
            $0.update(storePromotionVisibility: visibility, for: product, completionHandler: $1)
        }
    }

    /// Reads an app's own changes on a device.
    func readPromotions(on device: Int) {
        let overrides = witness.model.promotionOverrides(on: device)
        for product in Step.Product.allCases {
            let visibility = apps[device].visibility(of: product)
            let right = overrides.visibility[product.rawValue].map { $0 ? 1 : 2 } ?? 0
            if visibility?.rawValue != right {
                diary.broke("device \(device) reads \(visibility as Any) of \(product)'s visibility, not \(right)")
            }
        }
        apps[device].readOrder(overrides.order)
    }

    /// Checks that devices show the promotions and changes of the model.
    func checkPromotions() -> String? {
        for (device, name) in Self.deviceNames.enumerated() {
            let promoted = store.device(named: name)?.promotedProducts ?? []
            let right = witness.model.promoted(on: device).map(\.rawValue)
            if promoted != right { return "device \(device) shows \(promoted), and should \(right)" }
            let overrides = store.device(named: name)?.promotionOverrides
            let changes = witness.model.promotionOverrides(on: device)
            if overrides != changes {
                return "the app on device \(device) has changed \(overrides as Any), and should have \(changes)"
            }
        }
        return nil
    }

    /// Checks that every request has been answered, when nothing is in flight.
    func checkInquiries() -> String? {
        for device in apps.indices {
            if let violation = diary.inquiries[device].forgotten ?? apps[device].closeErrands() { return violation }
        }
        return nil
    }
}

extension AppRun {
    @discardableResult
    func send(_ request: SKRequest) -> RequestProbe {
        let errand = newErrand()
        request.delegate = errand
        request.start()
        errand.inquiry = inquiries.last
        return errand
    }

    /// Changes what is promoted.
    fileprivate func change(
        _ act: (SKProductStorePromotionController, @escaping ((any Error)?) -> Void) -> Void
    ) {
        let errand = newErrand()
        context.run { act(.default()) { errand.ended($0) } }
        errand.inquiry = inquiries.last
    }

    fileprivate func visibility(of product: Step.Product) -> SKProductStorePromotionVisibility? {
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
    fileprivate func readOrder(_ order: [String]) {
        let errand = newErrand(order: order)
        context.run {
            SKProductStorePromotionController.default().fetchStorePromotionOrder { errand.ended($0, $1) }
        }
        if !order.isEmpty { errand.inquiry = inquiries.last }
    }
}
