// The code of the article "Writing a backend", compiled and run.
import Foundation
import StoreCore
import Testing

actor ShopServer {
    struct Item {
        var title: String
        var price: Decimal
        var isOwnedForGood: Bool
    }

    private let items: [String: Item]
    private var taken: [JournalID: Int] = [:]
    private var unfinished: [StoreTransaction] = []
    private var owned: [StoreTransaction] = []
    private var changes: [StoreUpdate] = []
    private var lastTransaction = 0
    private var waiting: [AsyncStream<Void>.Continuation] = []

    init(items: [String: Item]) { self.items = items }
}

extension ShopServer {
    func take(_ commands: [StoreCommand]) {
        for command in commands where command.id.number > taken[command.id.journal, default: 0] {
            taken[command.id.journal] = command.id.number
            carryOut(command)
        }
        for poll in waiting { poll.finish() }
        waiting = []
    }

    private func carryOut(_ command: StoreCommand) {
        switch command.action {
        case .purchase(let payment):
            let refusal = refusal(of: payment)
            open(
                StoreTransaction(
                    identifier: nextIdentifier(),
                    order: command.id,
                    payment: payment,
                    state: refusal == nil ? .purchased : .failed,
                    date: Date(),
                    failure: refusal
                )
            )
        case .finish(let identifier):
            guard let index = unfinished.firstIndex(where: { $0.identifier == identifier }) else { return }
            let transaction = unfinished.remove(at: index)
            if transaction.state == .purchased, items[transaction.payment.productIdentifier]?.isOwnedForGood == true {
                owned.append(transaction)
            }
            changes.append(.finished(transaction: identifier, order: transaction.order))
        case .restore:
            for original in owned {
                open(
                    StoreTransaction(
                        identifier: nextIdentifier(),
                        payment: original.payment,
                        state: .restored,
                        date: Date(),
                        original: .init(
                            identifier: original.identifier,
                            date: original.date,
                            payment: original.payment
                        )
                    )
                )
            }
            changes.append(.restoreEnded(command.id, failure: nil))
        }
    }

    private func refusal(of payment: StorePayment) -> StoreFailure? {
        guard items[payment.productIdentifier] != nil else {
            return .storeKit(.paymentInvalid, "the shop does not sell \(payment.productIdentifier)")
        }
        guard payment.requestData == nil else {
            return .storeKit(.unauthorizedRequestData, "the payment carries request data")
        }
        guard payment.discount == nil, payment.offer == nil else {
            return .storeKit(.invalidOfferIdentifier, "the shop has no offers for \(payment.productIdentifier)")
        }
        return nil
    }

    private func open(_ transaction: StoreTransaction) {
        unfinished.append(transaction)
        changes.append(.transaction(transaction))
    }

    private func nextIdentifier() -> String {
        lastTransaction += 1
        return String(lastTransaction)
    }
}

extension ShopServer {
    func updates(after cursor: UpdateCursor?) async throws -> UpdateBatch {
        guard let cursor, cursor.part == nil, cursor.position <= changes.count else {
            return UpdateBatch(
                after: nil,
                through: UpdateCursor(position: changes.count),
                updates: unfinished.map { .transaction($0) }
            )
        }
        while cursor.position == changes.count {
            let (bell, poll) = AsyncStream.makeStream(of: Void.self)
            waiting.append(poll)
            for await _ in bell {}
            try Task.checkCancellation()
        }
        return UpdateBatch(
            after: cursor,
            through: UpdateCursor(position: changes.count),
            updates: Array(changes[cursor.position...])
        )
    }

    func products(_ identifiers: Set<String>) -> ProductsAnswer {
        var answer = ProductsAnswer(products: [])
        for identifier in identifiers {
            guard let item = items[identifier] else {
                answer.invalidIdentifiers.append(identifier)
                continue
            }
            answer.products.append(
                StoreProduct(
                    identifier: identifier,
                    localizedTitle: item.title,
                    localizedDescription: "",
                    price: item.price,
                    priceLocaleIdentifier: "en_US@currency=USD"
                )
            )
        }
        return answer
    }
}

struct ShopBackend: AsyncStoreBackend, AsyncStorefrontService {
    let server: ShopServer

    var storefront: StoreStorefront? { StoreStorefront(countryCode: "USA", identifier: "shop-usa") }

    func submit(_ commands: [StoreCommand]) async throws {
        await server.take(commands)
    }

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        var cursor = cursor
        while true {
            let batch = try await server.updates(after: cursor)
            feed.send(batch)
            cursor = batch.through
        }
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        await server.products(identifiers)
    }
}

private let items: [String: ShopServer.Item] = [
    "sword": .init(title: "Sword", price: 1, isOwnedForGood: false),
    "castle": .init(title: "Castle", price: 10, isOwnedForGood: true),
]

@Test func `The shop sells, once`() async throws {
    let server = ShopServer(items: items)
    let order = StoreCommand(
        id: OrderID(journal: .unique(), number: 1),
        action: .purchase(StorePayment(productIdentifier: "castle"))
    )
    await server.take([order])
    await server.take([order])
    let snapshot = try await server.updates(after: nil)
    #expect(snapshot.after == nil)
    #expect(snapshot.updates.count == 1)
    #expect(try await server.updates(after: UpdateCursor(position: 0)).updates == snapshot.updates)
}

/// Says what happens, finishes what can be finished.
private final class Clerk: NSObject, SKPaymentTransactionObserver {
    let events: AsyncStream<String>
    private let input: AsyncStream<String>.Continuation

    override init() {
        (events, input) = AsyncStream.makeStream(of: String.self)
        super.init()
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let product = transaction.payment.productIdentifier
            switch transaction.transactionState {
            case .purchased: input.yield("\(product) purchased")
            case .restored: input.yield("\(product) restored, bought as \(transaction.original != nil)")
            case .failed: input.yield("\(product) failed")
            default: continue
            }
            queue.finishTransaction(transaction)
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { input.yield("restored all") }
}

@Test func `A queue sells, refuses and restores from the shop`() async {
    let server = ShopServer(items: items)
    let queue = SKPaymentQueue(backend: ShopBackend(server: server).asStoreBackend())
    let clerk = Clerk()
    queue.add(clerk)
    var events = clerk.events.makeAsyncIterator()

    queue.add(SKPayment(productIdentifier: "castle"))
    #expect(await events.next() == "castle purchased")
    queue.add(SKPayment(productIdentifier: "unicorn"))
    #expect(await events.next() == "unicorn failed")
    queue.restoreCompletedTransactions()
    #expect(await events.next() == "castle restored, bought as true")
    #expect(await events.next() == "restored all")
    queue.remove(clerk)
}

@Test func `The shop's unfinished transactions come to the next launch`() async {
    let server = ShopServer(items: items)
    let queue = SKPaymentQueue(backend: ShopBackend(server: server).asStoreBackend())
    let doorbell = Doorbell()
    queue.add(doorbell)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(await doorbell.bought.first { _ in true } == "sword")

    let nextLaunch = queue.relaunch()
    let clerk = Clerk()
    nextLaunch.add(clerk)
    #expect(await clerk.events.first { _ in true } == "sword purchased")
    nextLaunch.remove(clerk)
}

@Test func `The shop describes what it sells`() async throws {
    let answer = try await ShopBackend(server: ShopServer(items: items)).products(["sword", "unicorn"])
    #expect(answer.products.map(\.price) == [1])
    #expect(answer.invalidIdentifiers == ["unicorn"])
}
