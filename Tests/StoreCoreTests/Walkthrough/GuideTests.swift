import Dispatch
import Foundation
import StoreCore
import Testing

/// The programming guide's walk through an app's store, and its figures, as a client would write them.
@Suite struct GuideTests {
    /// What the app decided to sell, registered with the store under identifiers of its own (steps 1 and 2).
    private static let products: [SandboxProduct] = [
        .nonConsumable(
            "com.example.expansion",
            price: "0.99",
            title: "Expansion Pack",
            description: "New levels to explore!"
        ),
        .consumable("com.example.sword", price: "0.99", title: "Sword"),
        .consumable("com.example.shield", price: "1.99", title: "Shield"),
        .consumable("com.example.spear", price: "2.99", title: "Spear"),
    ]

    private let world: World
    private let context: StoreContext

    init() throws {
        world = try Conformer.inProcess.world(products: Self.products)
        context = StoreContext(backend: world.backend, delivery: .queue(DispatchQueue(label: "app")), log: .silent)
    }

    @Test func `W1-W8: From asking for products to the delivery of the one that was bought`() async throws {
        try await context.run {
            // W3: may this user buy at all?
            #expect(SKPaymentQueue.canMakePayments())
            // W6: the observer belongs to the app's launch, and is kept by the app.
            let observer = ExpansionObserver()
            SKPaymentQueue.default().add(observer)
            // W4: ask for the products, and keep what came.
            let shop = Shop()
            shop.requestProductData()
            await context.settle()
            let product = try #require(shop.products.first)
            // W5: the app shows them as it likes.
            #expect(shop.shelf == ["Expansion Pack, New levels to explore!, $0.99"])
            // W9: the user chose.
            SKPaymentQueue.default().add(SKPayment(product: product))
            await context.settle()
            // W7, W8: recorded, provided, finished.
            #expect(observer.log == ["record com.example.expansion", "provide com.example.expansion"])
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `W3: Where payments are not allowed the store is not shown`() throws {
        try world.store.setPaymentsAllowed(false)
        context.run {
            var screen: String
            if SKPaymentQueue.canMakePayments() {
                screen = "store"
            } else {
                screen = "purchases are disabled"
            }
            #expect(screen == "purchases are disabled")
        }
    }

    @Test func `W4: An identifier that the store does not know comes back as invalid`() async {
        await context.run {
            let shop = Shop()
            shop.requestProductData(["com.example.expansion", "com.example.expansoin"])
            await context.settle()
            #expect(shop.products.map(\.productIdentifier) == ["com.example.expansion"])
            #expect(shop.invalid == ["com.example.expansoin"])
        }
    }

    @Test func `W6: An observer that only a local variable holds is not called, and what was bought waits`() async {
        await context.run {
            func applicationDidFinishLaunching() {
                let observer = ExpansionObserver()
                SKPaymentQueue.default().add(observer)
            }
            applicationDidFinishLaunching()
            #expect(SKPaymentQueue.default().transactionObservers.isEmpty)
            SKPaymentQueue.default().add(SKPayment.payment(withProductIdentifier: "com.example.expansion"))
            await context.settle()
            let observer = ExpansionObserver()
            SKPaymentQueue.default().add(observer)
            await context.settle()
            #expect(observer.log == ["record com.example.expansion", "provide com.example.expansion"])
        }
    }

    @Test func `W7: A failed transaction is shown unless the user cancelled, and finished`() async {
        await context.run {
            let observer = ExpansionObserver()
            SKPaymentQueue.default().add(observer)
            world.store.authorizer = .always(.cancel)
            SKPaymentQueue.default().add(SKPayment.payment(withProductIdentifier: "com.example.expansion"))
            await context.settle()
            #expect(observer.log.isEmpty)
            world.store.authorizer = .always(.decline())
            SKPaymentQueue.default().add(SKPayment.payment(withProductIdentifier: "com.example.expansion"))
            await context.settle()
            #expect(observer.log == ["show error 0"])
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `W7: A restored transaction provides what its original was about, and is finished`() async {
        await context.run {
            let observer = ExpansionObserver()
            SKPaymentQueue.default().add(observer)
            SKPaymentQueue.default().add(SKPayment.payment(withProductIdentifier: "com.example.expansion"))
            await context.settle()
            observer.forget()
            SKPaymentQueue.default().restoreCompletedTransactions()
            await context.settle()
            #expect(observer.log == ["restore com.example.expansion", "all restored"])
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `W9: Two of a product, made from the product or from its identifier`() async throws {
        try await context.run {
            let observer = Recorder.finishing()
            SKPaymentQueue.default().add(observer)
            let shop = Shop()
            shop.requestProductData(["com.example.sword"])
            await context.settle()
            let selectedProduct = try #require(shop.products.first)

            let first = SKMutablePayment(product: selectedProduct)
            first.quantity = 2
            SKPaymentQueue.default().add(first)

            let second = SKMutablePayment.payment(withProductIdentifier: "com.example.shield")
            second.quantity = 2
            SKPaymentQueue.default().add(second)

            await context.settle()
            #expect(
                observer.transactions.map(\.payment.productIdentifier) == ["com.example.sword", "com.example.shield"]
            )
            #expect(observer.transactions.map(\.payment.quantity) == [2, 2])
            #expect(observer.transactions.allSatisfy { $0.transactionState == .purchased })
        }
    }

    @Test(arguments: zip(["USA", "DEU", "GBR"], ["$0.99", "0,99\u{a0}€", "£0.99"]))
    func `W10, B83: A price is written as its country writes prices`(country: String, text: String) async throws {
        let store = try SandboxStore(products: Self.products, storefront: country)
        let context = StoreContext(backend: store, delivery: .inline, log: .silent)
        try await context.run {
            let shop = Shop()
            shop.requestProductData(["com.example.expansion"])
            await context.settle()
            let product = try #require(shop.products.first)
            let numberFormatter = NumberFormatter()
            numberFormatter.numberStyle = .currency
            numberFormatter.locale = product.priceLocale
            #expect(numberFormatter.string(from: product.price) == text)
        }
    }

    @Test func `F1: The expansion's title, description and price`() async throws {
        try await context.run {
            let shop = Shop()
            shop.requestProductData(["com.example.expansion"])
            await context.settle()
            let product = try #require(shop.products.first)
            #expect(product.localizedTitle == "Expansion Pack")
            #expect(product.localizedDescription == "New levels to explore!")
            #expect(product.price == NSDecimalNumber(string: "0.99"))
            #expect(shop.shelf == ["Expansion Pack, New levels to explore!, $0.99"])
        }
    }

    @Test func `F2, B25: Sword, shield and spear are outstanding at once, then delivered and finished`() async throws {
        world.store.authorizer = .always(.later)
        try await context.run {
            let queue = SKPaymentQueue.default()
            let observer = Recorder.finishing()
            queue.add(observer)
            let weapons = ["com.example.sword", "com.example.shield", "com.example.spear"]
            for weapon in weapons { queue.add(SKPayment.payment(withProductIdentifier: weapon)) }
            await context.settle()
            #expect(queue.transactions.map(\.payment.productIdentifier) == weapons)
            #expect(queue.transactions.map(\.payment.quantity) == [1, 1, 1])
            #expect(queue.transactions.map(\.transactionState) == [.purchasing, .purchasing, .purchasing])
            for request in world.store.undecidedRequests { try world.store.decide(request.transaction, as: .approve) }
            await context.settle()
            #expect(queue.transactions.isEmpty)
            for weapon in weapons {
                #expect(
                    observer.history(of: weapon)
                        == [.updated(weapon, .purchasing), .updated(weapon, .purchased), .removed(weapon)]
                )
            }
        }
    }
}

/// The guide's step 4 and 5.
private final class Shop: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
    // unchecked: used by one test, and by callbacks that it waits for.
    private let received = Locked<[SKProductsResponse]>([])

    var products: [SKProduct] { received.withLock { $0.flatMap(\.products) } }
    var invalid: [String] { received.withLock { $0.flatMap(\.invalidProductIdentifiers) } }

    func requestProductData(_ identifiers: Set<String> = ["com.example.expansion"]) {
        let request = SKProductsRequest(productIdentifiers: identifiers)
        request.delegate = self
        request.start()
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        received.withLock { $0.append(response) }
    }

    /// One line a product, as on the screen.
    var shelf: [String] {
        products.map { product in
            let numberFormatter = NumberFormatter()
            numberFormatter.numberStyle = .currency
            numberFormatter.locale = product.priceLocale
            let price = numberFormatter.string(from: product.price) ?? "?"
            return "\(product.localizedTitle), \(product.localizedDescription), \(price)"
        }
    }
}

/// The guide's steps 7 and 8: a method for each state.
private final class ExpansionObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: its one property guards itself.
    private let lines = Locked<[String]>([])

    var log: [String] { lines.withLock { $0 } }
    func forget() { lines.withLock { $0 = [] } }
    private func note(_ line: String) { lines.withLock { $0.append(line) } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased: completeTransaction(transaction)
            case .failed: failedTransaction(transaction)
            case .restored: restoreTransaction(transaction)
            default: break
            }
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { note("all restored") }

    private func completeTransaction(_ transaction: SKPaymentTransaction) {
        note("record \(transaction.payment.productIdentifier)")
        note("provide \(transaction.payment.productIdentifier)")
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    private func failedTransaction(_ transaction: SKPaymentTransaction) {
        if let error = transaction.error as? SKError, error.code != .paymentCancelled {
            note("show error \(error.errorCode)")
        }
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    private func restoreTransaction(_ transaction: SKPaymentTransaction) {
        note("restore \(transaction.original?.payment.productIdentifier ?? "nothing")")
        SKPaymentQueue.default().finishTransaction(transaction)
    }
}
