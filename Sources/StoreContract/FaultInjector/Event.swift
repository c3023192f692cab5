import Foundation
import StoreCore

extension FaultInjector {
    /// A message that passes between a queue and its store.
    public struct Event: Sendable {
        /// The content of the message.
        package enum Payload: Hashable, Sendable {
            /// Commands for the store.
            case submission([StoreCommand])
            /// The reply to these commands.
            case reply(SubmissionReply, to: [StoreCommand])
            /// A request for updates by the queue with this journal.
            case connection(JournalID, after: UpdateCursor?)
            /// Updates for the queue with this journal.
            case update(UpdateBatch, to: JournalID)
            /// The reason why the queue with this journal has lost its connection.
            case connectionLost(StoreFailure, to: JournalID)
            /// Acknowledgement of all updates through this cursor.
            case acknowledgement(UpdateCursor)
            /// A look-up of these identifiers.
            case productsRequest(Set<String>)
            /// The reply to a look-up of these identifiers.
            case productsAnswer(Result<ProductsAnswer, StoreFailure>, to: Set<String>)
            /// The request for a fresh receipt.
            case receiptRequest(ReceiptProperties)
            /// The reply to a request for a fresh receipt: nil for success.
            case receiptAnswer(StoreFailure?)
            /// The request for some bytes of a download.
            case downloadRequest(ContentRequest)
            /// The requested bytes, or the failure that is sent instead of them.
            case downloadChunk(Result<Data, StoreFailure>, to: ContentRequest)
            /// The country that an app reads.
            case storefrontRead

            /// The point that the message passes.
            package var point: Point {
                switch self {
                case .submission: .submission
                case .reply: .reply
                case .connection: .connection
                case .update: .update
                case .connectionLost: .connectionLost
                case .acknowledgement: .acknowledgement
                case .productsRequest: .productsRequest
                case .productsAnswer: .productsAnswer
                case .receiptRequest: .receiptRequest
                case .receiptAnswer: .receiptAnswer
                case .downloadRequest: .downloadRequest
                case .downloadChunk: .downloadChunk
                case .storefrontRead: .storefrontRead
                }
            }
        }

        /// The content.
        package let payload: Payload
        /// The message's number at its point, from 1.
        public let number: Int

        /// The point that the message passes.
        public var point: Point { payload.point }
    }
}

extension FaultInjector.Event {
    /// The commands that the message submits or replies to; empty for all other messages.
    public var commands: [StoreCommand] {
        switch payload {
        case .submission(let commands), .reply(_, let commands): commands
        default: []
        }
    }

    /// The products that the message concerns, if it names them.
    ///
    /// A `finish` names only a transaction.
    public var productIdentifiers: Set<String> {
        switch payload {
        case .productsRequest(let identifiers), .productsAnswer(_, let identifiers): return identifiers
        case .downloadRequest(let request), .downloadChunk(_, let request): return [request.productIdentifier]
        case .update(let batch, _):
            return batch.updates.reduce(into: []) { products, update in
                switch update {
                case .transaction(let transaction): products.insert(transaction.payment.productIdentifier)
                case .revoked(let identifiers): products.formUnion(identifiers)
                case .promoted(let payment, _): products.insert(payment.productIdentifier)
                case .finished, .restoreEnded, .storefront: break
                }
            }
        default: return Set(payments.map(\.productIdentifier))
        }
    }

    /// The values of `applicationUsername` in the message's payments and restores.
    public var applicationUsernames: Set<String> {
        var names = Set(payments.compactMap(\.applicationUsername))
        for case .restore(let name?) in commands.map(\.action) { names.insert(name) }
        return names
    }

    /// The identifiers of the transactions that the message announces, finishes or fetches content for.
    public var transactionIdentifiers: Set<String> {
        var identifiers: Set<String> = []
        switch payload {
        case .downloadRequest(let request), .downloadChunk(_, let request): identifiers.insert(request.transaction)
        default: break
        }
        for case .finish(let transaction) in commands.map(\.action) { identifiers.insert(transaction) }
        for update in updates {
            switch update {
            case .transaction(let transaction): identifiers.insert(transaction.identifier)
            case .finished(let transaction, _): identifiers.insert(transaction)
            default: break
            }
        }
        return identifiers
    }

    private var updates: [StoreUpdate] { if case .update(let batch, _) = payload { batch.updates } else { [] } }

    private var payments: [StorePayment] {
        commands.compactMap { if case .purchase(let payment) = $0.action { payment } else { nil } }
            + updates.compactMap { update in
                switch update {
                case .transaction(let transaction): transaction.payment
                case .promoted(let payment, _): payment
                default: nil
                }
            }
    }
}

extension FaultInjector.Event: CustomStringConvertible {
    /// The point, the number and a short description of the content.
    ///
    /// Users' names and receipts are omitted.
    public var description: String {
        let detail =
            switch payload {
            case .submission(let commands): Self.describe(commands)
            case .reply(.taken, let commands): "taken: \(Self.describe(commands))"
            case .reply(.tryLater, let commands): "try later: \(Self.describe(commands))"
            case .reply(.refused(let refused), let commands):
                "refused \(refused.count) of \(commands.count): \(Self.describe(commands))"
            case .connection(_, let cursor): cursor.map { "after \($0)" } ?? "from the beginning"
            case .update(let batch, _): Self.describe(batch)
            case .connectionLost(let failure, _): failure.description
            case .acknowledgement(let cursor): "through \(cursor)"
            case .productsRequest(let identifiers): identifiers.sorted().joined(separator: ", ")
            case .productsAnswer(.success, let identifiers): identifiers.sorted().joined(separator: ", ")
            case .productsAnswer(.failure(let failure), _): failure.description
            case .receiptRequest: "a fresh one"
            case .receiptAnswer(let failure): failure?.description ?? "fresh"
            case .downloadRequest(let request): "\(request.content.identifier) from \(request.offset)"
            case .downloadChunk(.success(let data), let request):
                "\(data.count) bytes of \(request.content.identifier) from \(request.offset)"
            case .downloadChunk(.failure(let failure), _): failure.description
            case .storefrontRead: "the country"
            }
        return "\(point.rawValue) \(number) (\(detail))"
    }

    private static func describe(_ commands: [StoreCommand]) -> String {
        commands.map { command in
            switch command.action {
            case .purchase(let payment): "purchase of \(payment.productIdentifier)"
            case .finish(let transaction): "finish of \(transaction)"
            case .restore: "restore"
            }
        }
        .joined(separator: ", ")
    }

    private static func describe(_ batch: UpdateBatch) -> String {
        let updates = batch.updates.map { update in
            switch update {
            case .transaction(let transaction):
                "\(transaction.identifier) of \(transaction.payment.productIdentifier) \(transaction.state)"
            case .finished(let transaction, _): "\(transaction) finished"
            case .restoreEnded: "restore ended"
            case .storefront: "storefront"
            case .revoked(let identifiers): "revoked \(identifiers.joined(separator: ", "))"
            case .promoted(let payment, _): "promoted \(payment.productIdentifier)"
            }
        }
        let place = "\(batch.after?.description ?? "snapshot") to \(batch.through)"
        return ([place] + updates).joined(separator: ", ")
    }
}

extension FaultInjector {
    /// A point where messages pass between a queue and its store.
    ///
    /// Reads, such as whether a product is sold, go directly to the store and pass no point. The only exception is the
    /// read of the country, ``FaultInjector/Point/storefrontRead``.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Point: String, CaseIterable, Hashable, Codable, Sendable {
        /// Submission of commands to the store.
        case submission
        /// The store's reply to a submission.
        case reply
        /// A queue's request for updates.
        case connection
        /// A batch of updates for a queue.
        case update
        /// The store's report of a lost connection to a queue.
        case connectionLost
        /// A queue's acknowledgement of the updates that its observers have received.
        case acknowledgement
        /// A look-up of products.
        case productsRequest
        /// The store's reply to a look-up.
        case productsAnswer
        /// The request for a fresh receipt.
        case receiptRequest
        /// The store's reply to a request for a fresh receipt.
        case receiptAnswer
        /// The request for the next bytes of a download.
        case downloadRequest
        /// The requested bytes of a download, or the failure that is sent instead of them.
        case downloadChunk
        /// An app's read of the country.
        ///
        /// The read is synchronous. A fault that loses or fails it makes the app read nil, as if the store did not know
        /// the country. Under all other faults, including ``FaultInjector/Fault/hold``, the app reads the country.
        case storefrontRead
    }
}
