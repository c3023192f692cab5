import Foundation
import StoreCore
import Testing

/// In which order products are described: it must not differ from run to run.
@Suite struct ProductOrderTests {
    private static let names = (0..<400).map { "product \($0 * 7919 % 400)" }
    private let store: SandboxStore

    init() throws { store = try SandboxStore(products: Self.names.map { .consumable($0, price: "0.99") }) }

    private func response(to identifiers: [String]) throws -> SKProductsResponse {
        let delegate = RequestRecorder()
        let request = SKProductsRequest(productIdentifiers: Set(identifiers), backend: store, delivery: .inline)
        request.delegate = delegate
        request.start()
        store.settle()
        return try #require(delegate.responses.first)
    }

    @Test(arguments: [1, 2, 20, 24, 26, 200, 400])
    func `B78: The first registered comes first, however many are asked for`(count: Int) throws {
        let wanted = Self.names.enumerated().filter { $0.offset % (400 / count) == 0 }.map(\.element).prefix(count)
        for _ in 0..<2 {
            #expect(try response(to: Array(wanted)).products.map(\.productIdentifier) == Array(wanted))
        }
    }

    @Test func `B78: What is registered later comes last, and what is registered anew stays where it was`() throws {
        let wanted = Array(Self.names.prefix(30))
        try store.register(.consumable("axe", price: "0.99"))
        try store.register(.consumable(wanted[3], price: "1.99"))
        #expect(try response(to: ["axe"] + wanted).products.map(\.productIdentifier) == wanted + ["axe"])
    }

    @Test func `B79: What is not sold is sorted`() throws {
        let unknown = (100..<130).map { "unknown \($0)" }
        let response = try response(to: unknown.shuffled() + Self.names.prefix(2))
        #expect(response.invalidProductIdentifiers == unknown)
    }
}
