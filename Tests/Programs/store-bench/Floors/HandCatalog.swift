import Foundation

/// Products by hand: ready objects in a dictionary, and an array of those asked for.
final class HandCatalog {
    private let products: [String: HandProduct]

    init(identifiers: [String]) {
        products = Dictionary(uniqueKeysWithValues: identifiers.map { ($0, HandProduct(productIdentifier: $0)) })
    }

    func request(_ identifiers: Set<String>, delegate: any HandCatalogDelegate) {
        var found: [HandProduct] = []
        var invalid: [String] = []
        found.reserveCapacity(identifiers.count)
        for identifier in identifiers {
            if let product = products[identifier] { found.append(product) } else { invalid.append(identifier) }
        }
        delegate.received(found, invalid: invalid)
    }
}

/// A delegate that receives the requested products.
protocol HandCatalogDelegate: AnyObject {
    func received(_ products: [HandProduct], invalid: [String])
}

extension HandCatalog {
    /// Creates a catalog with a delegate, as a closure that requests products and returns how many came.
    static func make(identifiers: [String]) -> Ask {
        let catalog = HandCatalog(identifiers: identifiers)
        let delegate = Receiver()
        return { asked in
            catalog.request(asked, delegate: delegate)
            return delegate.products.count
        }
    }

    private final class Receiver: HandCatalogDelegate {
        private(set) var products: [HandProduct] = []

        func received(_ products: [HandProduct], invalid: [String]) { self.products = products }
    }
}

/// A product with the fields that apps read first.
final class HandProduct: NSObject {
    let productIdentifier: String
    let localizedTitle = "Coins"
    let localizedDescription = "A bag of coins"
    let price: Decimal = 1

    init(productIdentifier: String) { self.productIdentifier = productIdentifier }
}
