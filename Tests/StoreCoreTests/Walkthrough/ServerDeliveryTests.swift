import Foundation
import StoreCore
import Testing

/// The guide's server model (figure 1-3): what an app sells, what it delivers and what it restores is the server's to say.
@Suite struct ServerDeliveryTests {
    @Test func `B66, B127, F3: A server delivers in fourteen steps`() throws {
        let store = try SandboxStore(products: Server.products, bundleIdentifier: "com.example.reader")
        let server = Server(store: store)
        let app = Reader(on: store, server: server, user: "ann")

        // 1 to 5: the app gets the identifiers from its server, asks the store about them, gets an answer, shows it,
        // and the user chooses.
        app.openShop()
        store.settle()
        #expect(app.shelf == ["Chapter 1", "Subscription of a year"])
        // 6 and 7: a payment, and a completed transaction.
        app.choose("Chapter 1")
        store.settle()
        // 8 and 9: the receipt went to the server, which has made a record of it.
        let record = try #require(server.records.first)
        #expect(server.records.count == 1)
        // 10 to 12: the server had the store verify it, and has read the answer.
        #expect(record.status == .valid)
        #expect(record.productIdentifier == "com.example.chapter.1")
        #expect(record.user == "ann")
        #expect(store.verify(receipt: record.receipt).fields["transaction_id"] == record.transactionIdentifier)
        // 13 and 14: it has delivered, and the app has let go of the transaction.
        #expect(app.library == ["the text of com.example.chapter.1"])
        #expect(app.queue.transactions.isEmpty)
    }

    @Test func `B65, B127: A receipt that the store has not signed delivers nothing`() throws {
        let store = try SandboxStore(products: Server.products)
        let server = Server(store: store)
        let forger = try SandboxStore(products: Server.products)
        let app = Reader(on: forger, server: server, user: "eve")
        app.openShop()
        forger.settle()
        app.choose("Chapter 1")
        forger.settle()
        #expect(server.records.map(\.status) == [.notAuthentic])
        #expect(app.library == [])
        #expect(app.queue.transactions.map(\.transactionState) == [.purchased])
    }

    @Test func `B127: A receipt that comes twice is delivered twice and recorded once`() throws {
        let store = try SandboxStore(products: Server.products)
        let server = Server(store: store)
        server.isReachable = false
        let first = Reader(on: store, server: server, user: "ann")
        first.openShop()
        store.settle()
        first.choose("Chapter 1")
        store.settle()
        #expect(first.queue.transactions.count == 1)

        server.isReachable = true
        first.quit()
        let second = Reader(on: store, server: server, user: "ann")
        store.settle()
        #expect(second.library == ["the text of com.example.chapter.1"])
        let receipt = try #require(server.records.first?.receipt)
        #expect(server.redeem(receipt, for: "ann") == "the text of com.example.chapter.1")
        #expect(server.records.count == 1)
    }

    @Test func `B109, B123: A non-renewing subscription is restored from the server's own records`() throws {
        let store = try SandboxStore(products: Server.products)
        let server = Server(store: store)
        let phone = Reader(on: store, server: server, user: "ann")
        phone.openShop()
        store.settle()
        phone.choose("Subscription of a year")
        store.settle()
        #expect(phone.isSubscribed)

        let tablet = Reader(on: try store.addDevice("tablet", signedInTo: store.account), server: server, user: "ann")
        tablet.queue.restoreCompletedTransactions()
        store.settle()
        #expect(!tablet.isSubscribed)
        tablet.signIn()
        #expect(tablet.isSubscribed)

        store.advance(by: 366 * 24 * 60 * 60)
        tablet.signIn()
        #expect(!tablet.isSubscribed)
    }
}

// MARK: - The developer's server

/// What it knows: which identifiers are sold, what to deliver for each, and every receipt that it ever saw.
private final class Server: Sendable {
    /// A line of the audit record.
    struct Record {
        let receipt: Data
        let user: String
        let status: ReceiptVerification.Status
        let transactionIdentifier: String?
        let productIdentifier: String?
        let date: Date
    }

    static let products: [SandboxProduct] = [
        .consumable("com.example.chapter.1", price: "0.99", title: "Chapter 1"),
        .nonRenewing("com.example.year", price: "19.99", title: "Subscription of a year"),
    ]

    private let store: SandboxStore
    private let ledger = Locked<[Record]>([])
    private let reachable = Locked(true)

    init(store: SandboxStore) { self.store = store }

    var records: [Record] { ledger.withLock { $0 } }
    var isReachable: Bool {
        get { reachable.withLock { $0 } }
        set { reachable.withLock { $0 = newValue } }
    }

    /// What the app may sell at the moment: this is why it need not be updated for a new product.
    var identifiers: [String] { ["com.example.chapter.1", "com.example.year", "com.example.not.yet"] }

    /// What a receipt entitles to; nil for one that the store does not vouch for.
    func redeem(_ receipt: Data, for user: String) -> String? {
        guard isReachable else { return nil }
        let answer = store.verify(receipt: receipt)
        let transaction = answer.fields["transaction_id"]
        ledger.withLock { records in
            // A transaction's identifier is fit to know it by.
            if transaction != nil, records.contains(where: { $0.transactionIdentifier == transaction }) { return }
            records.append(
                Record(
                    receipt: receipt,
                    user: user,
                    status: answer.status,
                    transactionIdentifier: transaction,
                    productIdentifier: answer.fields["product_id"],
                    date: store.clock.now
                )
            )
        }
        guard answer.status == .valid, let product = answer.fields["product_id"] else { return nil }
        return "the text of \(product)"
    }

    /// Whether a user has paid for the year that runs.
    func isSubscribed(_ user: String) -> Bool {
        let year: TimeInterval = 365 * 24 * 60 * 60
        return records.contains { record in
            record.user == user && record.status == .valid && record.productIdentifier == "com.example.year"
                && store.clock.now < record.date + year
        }
    }
}

// MARK: - The app

private final class Reader: NSObject, SKProductsRequestDelegate, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: used by one test, with callbacks made inline.
    let queue: SKPaymentQueue
    private(set) var library: [String] = []
    private(set) var isSubscribed = false
    private let backend: any StoreBackend
    private let server: Server
    private let user: String
    private var products: [SKProduct] = []

    init(on backend: any StoreBackend, server: Server, user: String) {
        self.backend = backend
        self.server = server
        self.user = user
        queue = SKPaymentQueue(backend: backend, delivery: .inline)
        super.init()
        queue.add(self)
    }

    func quit() { queue.remove(self) }

    func openShop() {
        let request = SKProductsRequest(
            productIdentifiers: Set(server.identifiers),
            backend: backend,
            delivery: .inline
        )
        request.delegate = self
        request.start()
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        products = response.products.sorted { $0.productIdentifier < $1.productIdentifier }
    }

    var shelf: [String] { products.map(\.localizedTitle) }

    func choose(_ title: String) {
        for product in products where product.localizedTitle == title { queue.add(SKPayment(product: product)) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            guard let receipt = transaction.transactionReceipt, let text = server.redeem(receipt, for: user) else {
                // Not finished: it comes again at the next launch.
                continue
            }
            library.append(text)
            signIn()
            queue.finishTransaction(transaction)
        }
    }

    /// Asks the server what its user is entitled to, which is how a non-renewing subscription comes to another device.
    func signIn() { isSubscribed = server.isSubscribed(user) }
}
