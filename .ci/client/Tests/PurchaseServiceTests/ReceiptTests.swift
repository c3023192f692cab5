import PurchaseService
import StoreKitTest
import Testing

// StoreCore has an error named ReceiptError too: only what is needed of it comes in.
import class StoreCore.StoreContext

/// A service of the test's own, in a context of the test's own, whose receipt is its own too.
@Suite struct ReceiptTests {
    private let validator = LocalReceiptValidator(bundleIdentifier: "com.example.app")

    @Test func `The receipt lists what was bought, inline`() throws {
        try inline(validator) { session, service in
            for product in ["archive", "news.monthly"] {
                var bought: Purchase?
                service.purchase(try Self.product(product, of: service)) { bought = try? $0.get() }
                #expect(bought?.productIdentifier == product)
            }
            #expect(Self.owned(service) == ["archive", "news.monthly"])
            try session.refundTransaction(identifier: 0)
            #expect(Self.owned(service) == ["news.monthly"])
        }
    }

    @Test func `Nothing is sold on another app's receipt, inline`() throws {
        try inline(LocalReceiptValidator(bundleIdentifier: "com.example.other")) { _, service in
            var answer: Result<Purchase, PurchaseError>?
            service.purchase(try Self.product("archive", of: service)) { answer = $0 }
            guard case .failure(.receipt(ReceiptError.ofAnotherApp)) = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(SKPaymentQueue.default().transactions.map(\.transactionState) == [.purchased])
        }
    }

    @Test func `Each purchase is validated once, inline`() throws {
        let stub = ValidatorStub()
        try inline(stub) { _, service in
            let crossword = try Self.product("crossword", of: service)
            var bought: [String] = []
            for _ in 1...3 { service.purchase(crossword) { bought += [(try? $0.get().transactionIdentifier) ?? ""] } }
            #expect(bought == ["0", "1", "2"])
            #expect(stub.receiptsSeen == 3)
        }
    }

    @Test func `A restore without anything to restore succeeds, inline`() throws {
        try inline(validator) { _, service in
            var restored: [Purchase]?
            service.restore { restored = try? $0.get() }
            #expect(restored == [])
        }
    }

    @MainActor @Test(.timeLimit(.minutes(5)))
    func `A purchase is validated on another queue, on the main queue's callbacks`() async throws {
        try await StoreContext().run {
            let session = try SKTestSession(configurationFileNamed: "Newsstand")
            let service = PurchaseService(validator: ValidatorStub(queue: .global()))
            service.start()
            let products = try await withCheckedThrowingContinuation { continuation in
                service.products(["archive"]) { continuation.resume(with: $0) }
            }
            let archive = try #require(products.first)
            let purchase = try await withCheckedThrowingContinuation { continuation in
                service.purchase(archive) { continuation.resume(with: $0) }
            }
            #expect(purchase.productIdentifier == "archive")
            #expect(session.allTransactions().map(\.state) == [.purchased])
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `What is no receipt is refused`() throws {
        let stub = ReceiptKeeper()
        try inline(stub) { _, service in
            service.purchase(try Self.product("archive", of: service)) { _ in }
        }
        let receipt = try #require(stub.receipts.first)
        #expect(try InAppReceipt(receipt).items.map(\.productIdentifier) == ["archive"])
        for length in 0..<receipt.count {
            #expect(throws: ReceiptError.self) { try InAppReceipt(receipt.prefix(length)) }
        }
    }

    private func inline(
        _ validator: ReceiptValidator,
        _ body: (SKTestSession, PurchaseService) throws -> Void
    ) throws {
        // Callbacks come before the call returns: nothing has to be waited for.
        try StoreContext(delivery: .inline).run {
            let session = try SKTestSession(configurationFileNamed: "Newsstand")
            let service = PurchaseService(validator: validator)
            service.start()
            try body(session, service)
        }
    }

    private static func product(_ identifier: String, of service: PurchaseService) throws -> SKProduct {
        var products: [SKProduct] = []
        service.products([identifier]) { products = (try? $0.get()) ?? [] }
        return try #require(products.first)
    }

    private static func owned(_ service: PurchaseService) -> Set<String>? {
        var owned: Set<String>?
        service.ownedProducts { owned = try? $0.get() }
        return owned
    }
}

/// Trusts nothing, and keeps everything.
private final class ReceiptKeeper: ReceiptValidator {
    private(set) var receipts: [Data] = []

    func validate(_ receipt: Data, completion: @escaping (Result<InAppReceipt, Error>) -> Void) {
        receipts.append(receipt)
        completion(.failure(ReceiptError.malformed))
    }
}
