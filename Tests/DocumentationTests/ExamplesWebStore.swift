// The first backend of the article "Writing a backend", compiled and run.
import Foundation
import StoreCore
import Testing

/// What an app already has to talk to its server, here without one.
protocol PaymentServer: Sendable {
    func post(_ commands: [StoreCommand]) async throws
    func batches(after cursor: UpdateCursor?) -> AsyncThrowingStream<UpdateBatch, any Error>
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer
}

struct WebStore: AsyncStoreBackend {
    let server: any PaymentServer  // your own client

    func submit(_ commands: [StoreCommand]) async throws {
        try await server.post(commands)
    }

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        for try await batch in server.batches(after: cursor) { feed.send(batch) }
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        try await server.products(identifiers)
    }
}

/// Sells every order that is posted, and tells each connection of all that was sold.
private final class ObligingServer: PaymentServer {
    private typealias Connection = AsyncThrowingStream<UpdateBatch, any Error>.Continuation

    private let state = Locked((sold: [StoreUpdate](), connections: [Connection]()))

    func post(_ commands: [StoreCommand]) async throws {
        for command in commands {
            guard case .purchase(let payment) = command.action else { continue }
            let sale = StoreTransaction(
                identifier: "\(command.id.number)",
                order: command.id,
                payment: payment,
                state: .purchased,
                date: .distantPast
            )
            let (count, connections) = state.withLock { state in
                state.sold.append(.transaction(sale))
                return (state.sold.count, state.connections)
            }
            let (before, behind) = (UpdateCursor(position: count - 1), UpdateCursor(position: count))
            for input in connections {
                input.yield(UpdateBatch(after: before, through: behind, updates: [.transaction(sale)]))
            }
        }
    }

    func batches(after cursor: UpdateCursor?) -> AsyncThrowingStream<UpdateBatch, any Error> {
        let (stream, input) = AsyncThrowingStream.makeStream(of: UpdateBatch.self, throwing: (any Error).self)
        let sold = state.withLock { state in
            state.connections.append(input)
            return state.sold
        }
        input.yield(UpdateBatch(after: nil, through: UpdateCursor(position: sold.count), updates: sold))
        return stream
    }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        ProductsAnswer(products: [], invalidIdentifiers: identifiers.sorted())
    }
}

/// Says what was bought, and finishes nothing.
final class Doorbell: NSObject, SKPaymentTransactionObserver {
    let bought: AsyncStream<String>
    private let input: AsyncStream<String>.Continuation

    override init() {
        (bought, input) = AsyncStream.makeStream(of: String.self)
        super.init()
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            input.yield(transaction.payment.productIdentifier)
        }
    }
}

@Test func `A queue sells from a store on a server`() async {
    let server = ObligingServer()
    let queue = SKPaymentQueue(backend: WebStore(server: server).asStoreBackend())
    let doorbell = Doorbell()
    queue.add(doorbell)
    queue.add(SKPayment(productIdentifier: "sword"))
    let first = await doorbell.bought.first { _ in true }
    #expect(first == "sword")
    queue.remove(doorbell)
}
