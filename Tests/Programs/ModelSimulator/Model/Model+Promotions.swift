import Foundation
import StoreCore

// Promoted products on devices, and apps' changes to them.
extension Model {
    /// Returns the promoted products on a device, in order.
    func promoted(on device: Int) -> [Product] {
        let place = devices[device]
        // The operator's registration order applies, except for products that the app names.
        var rest = Product.allCases.filter {
            guard $0 != .ghost, prices.isSold($0) else { return false }
            let isShown = !place.hidesOtherPromotions || place.promotionOrder.contains($0)
            return place.promotionVisibility[$0] ?? isShown
        }
        var promoted: [Product] = []
        for product in place.promotionOrder + rest where rest.contains(product) {
            rest.removeAll { $0 == product }
            promoted.append(product)
        }
        return promoted
    }

    /// Returns an app's changes.
    func promotionOverrides(on device: Int) -> PromotionOverrides {
        let visibility = devices[device].promotionVisibility.map { ($0.key.rawValue, $0.value) }
        return PromotionOverrides(
            order: devices[device].promotionOrder.map(\.rawValue),
            visibility: Dictionary(uniqueKeysWithValues: visibility),
            hidesOthers: devices[device].hidesOtherPromotions
        )
    }

    mutating func promote(_ change: PromotionChange, on device: Int) {
        switch change {
        case .order(let identifiers):
            devices[device].promotionOrder = identifiers.compactMap(Product.init)
            devices[device].hidesOtherPromotions = false
        case .visibility(let identifier, let isShown):
            if let product = Product(rawValue: identifier) { devices[device].promotionVisibility[product] = isShown }
        case .only(let identifiers, let visibility):
            let order = identifiers.compactMap(Product.init)
            var kept = devices[device].promotionVisibility.filter { order.contains($0.key) || !$0.value }
            if let visibility {
                kept = [:]
                for product in Product.allCases { kept[product] = visibility[product.rawValue] }
            }
            devices[device].promotionOrder = order
            devices[device].promotionVisibility = identifiers.isEmpty ? [:] : kept
            devices[device].hidesOtherPromotions = !identifiers.isEmpty
        }
    }

    /// Returns the answer to a request for these products.
    func listing(_ identifiers: Set<String>) -> TrackedRequest.Answer {
        let sold = Product.allCases.filter {
            $0 != .ghost && prices.isSold($0) && identifiers.contains($0.rawValue)
        }
        let listings = sold.map {
            (identifier: $0.rawValue, price: Decimal(sign: .plus, exponent: -2, significand: Decimal(prices[$0])))
        }
        return TrackedRequest.Answer(listings, invalid: identifiers.subtracting(sold.map(\.rawValue)).sorted())
    }
}
