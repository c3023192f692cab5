import Foundation
import StoreCore

/// A function that requests products and returns how many came.
typealias Ask = (_ identifiers: Set<String>) throws -> Int

extension Figure {
    static let products = Figure(
        name: "products",
        summary: "100,000 of 100,000 products, to the delegate",
        unit: "ms",
        limit: 1.5,
        growth: Growth(of: "products", unit: "ns/product") { count in
            let ask = try ProductRequest.make(identifiers: identifiers(count))
            let asked = Set(identifiers(count))
            return Growth.Probe { try sample(ask, asked).each(of: count) }
        }
    ) {
        let floor = HandCatalog.make(identifiers: identifiers(count))
        let value = try ProductRequest.make(identifiers: identifiers(count))
        let asked = Set(identifiers(count))
        return Cases(floor: { try sample(floor, asked) }, value: { try sample(value, asked) })
    }

    private static let count = 100_000

    /// Creates new identifiers for each user: an app's strings are not the store's.
    private static func identifiers(_ count: Int) -> [String] { (0..<count).map { "com.example.item.\($0)" } }

    private static func sample(_ ask: Ask, _ asked: Set<String>) throws -> Sample {
        try .milliseconds(of: asked.count, "products came") { try ask(asked) }
    }
}

/// The value: a store that sells all of these.
private enum ProductRequest {
    static func make(identifiers: [String]) throws -> Ask {
        let store = try SandboxStore(products: identifiers.map { .consumable($0, price: "0.99") })
        return { wanted in
            let listener = Listener()
            let request = SKProductsRequest(productIdentifiers: wanted, backend: store, delivery: .inline)
            request.delegate = listener
            request.start()
            return listener.received
        }
    }

    private final class Listener: NSObject, SKProductsRequestDelegate {
        var received = 0
        func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
            received = response.products.count
        }
    }
}
