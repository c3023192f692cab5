import Foundation
import StoreCore

/// What is known of a store now: the answers of the services that must not wait for a network.
///
/// It comes with the stream of each connected queue, and with answers to requests, which a stream may overtake: an answer
/// that is older than what the stream has told changes nothing.
final class KnownAnswers: Sendable {
    fileprivate struct State {
        var status = DeviceStatus()
        var appReceipt: Data?
        /// The ledger's position as of which the receipt is, and the stream that has told of it or was the last one then; nil
        /// once that has ended.
        ///
        /// A store that has lost records goes on at a lower position, but not on the same stream.
        var receiptVersion: (position: Int, stream: Int)?
        /// The receipts of unfinished transactions, by identifier.
        var receipts: [String: Data] = [:]
        /// What the last look-ups said of identifiers, since anything has changed.
        var sells: [String: Bool] = [:]
        /// The number of times that anything has changed.
        var changes = 0
        /// The streams that are open, by number.
        var streams: [Int: Stream] = [:]
        var lastStream = 0
        var listeners: [Listener] = []
    }

    fileprivate struct Stream {
        /// Whether it has had a line: from then on, it tells each change of the status.
        var hasTold = false
        /// The transactions finished since it was opened, which its snapshot may name once more; nil once that has ended.
        var finished: Set<String>? = []
    }

    fileprivate struct Listener {
        weak var value: (any HistoryListener)?
    }

    private let state = Locked(State())

    var status: DeviceStatus { state.withLock { $0.status } }
    var appReceipt: Data? { state.withLock { $0.appReceipt } }
    func receipt(forTransaction identifier: String) -> Data? { state.withLock { $0.receipts[identifier] } }
    func sells(_ identifier: String) -> Bool? { state.withLock { $0.sells[identifier] } }
    /// Whether a stream is open on which the store has told something.
    var hasStream: Bool { state.withLock { $0.streams.values.contains(where: \.hasTold) } }
    /// The number of times that anything has changed: a look-up begins with it.
    var changes: Int { state.withLock { $0.changes } }

    /// Takes the answer to a greeting.
    func take(_ status: DeviceStatus, _ receipt: ReceiptUpdate?) {
        state.withLock { state in
            if !state.streams.values.contains(where: \.hasTold) { state.status = status }
            if let receipt { state.take(receipt, from: state.streams.keys.max()) }
        }
    }

    func take(_ receipt: ReceiptUpdate) { state.withLock { $0.take(receipt, from: $0.streams.keys.max()) } }

    func take(_ change: PromotionChange) { state.withLock { $0.status.promotionOverrides.apply(change) } }

    /// Takes the answer to a look-up, unless anything has changed since it began.
    func take(_ answer: ProductsAnswer, since changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            // Beyond that, the oldest answers are not worth their memory.
            if state.sells.count > DeviceProtocol.mostIdentifiers { state.sells = [:] }
            for product in answer.products { state.sells[product.identifier] = true }
            for identifier in answer.invalidIdentifiers { state.sells[identifier] = false }
        }
    }

    /// Notes that a stream is being opened, and returns its number.
    func beginStream() -> Int {
        state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = Stream()
            return state.lastStream
        }
    }

    func endStream(_ number: Int) {
        state.withLock { state in
            state.streams[number] = nil
            if state.receiptVersion?.stream == number { state.receiptVersion = nil }
        }
    }

    /// Takes what a stream's line says, apart from its batch.
    func take(_ line: UpdateLine, fromStream number: Int) {
        state.withLock { state in
            if let status = line.status { state.status = status }
            if let receipt = line.receipt { state.take(receipt, from: number) }
            let finished = state.streams[number]?.finished ?? []
            for (identifier, receipt) in line.receipts ?? [:] where !finished.contains(identifier) {
                state.receipts[identifier] = receipt
            }
            state.streams[number]?.hasTold = true
            if let batch = line.batch, batch.through.part == nil { state.streams[number]?.finished = nil }
            if line.hasChanged == true {
                state.changes += 1
                state.sells = [:]
            }
        }
    }

    /// Forgets the receipts of transactions that are finished.
    func forget(_ transactions: some Sequence<String>) {
        state.withLock { state in
            for identifier in transactions {
                state.receipts[identifier] = nil
                for number in state.streams.keys { state.streams[number]?.finished?.insert(identifier) }
            }
        }
    }

    func follow(_ listener: any HistoryListener) {
        state.withLock { state in
            state.listeners.removeAll { $0.value == nil || $0.value === listener }
            state.listeners.append(Listener(value: listener))
        }
    }

    /// Tells the listeners that answers may have changed.
    func notify() {
        let listeners = state.withLock { state in
            state.listeners.removeAll { $0.value == nil }
            return state.listeners.compactMap(\.value)
        }
        for listener in listeners { listener.historyChanged() }
    }
}

extension KnownAnswers.State {
    /// Takes the app receipt, unless a newer one is known.
    fileprivate mutating func take(_ receipt: ReceiptUpdate, from stream: Int?) {
        if let known = receiptVersion?.position, let position = receipt.position, position < known { return }
        appReceipt = receipt.receipt
        receiptVersion = receipt.position.flatMap { position in stream.map { (position, $0) } }
    }
}
