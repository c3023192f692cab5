import Foundation
import StoreCore

/// The last known state of a store, for synchronous services, which cannot wait for a network.
///
/// The state arrives on the stream of each connected queue, and with responses to requests. A response is ignored if it
/// is older than the last report of a stream.
final class KnownAnswers: Sendable {
    fileprivate struct State {
        var status = DeviceStatus()
        var appReceipt: Data?
        /// The position in the ledger at which the receipt was read, and the stream that reported it.
        ///
        /// A receipt in the response to a request counts as reported by the latest stream. Nil once the stream has
        /// ended: after a store has lost records, its positions are lower, but they come on another stream.
        var receiptVersion: (position: Int, stream: Int)?
        /// The position in the ledger of the latest known change to promotions, and the stream, as for the receipt.
        var promotionVersion: (position: Int, stream: Int)?
        /// The receipts of unfinished transactions, by identifier.
        var receipts: [String: Data] = [:]
        /// The results of look-ups since the last change, by identifier.
        var sells: [String: Bool] = [:]
        /// The number of changes in the store so far.
        var changes = 0
        /// The open streams, by number.
        var streams: [Int: Stream] = [:]
        var lastStream = 0
        var listeners: [Listener] = []
    }

    fileprivate struct Stream {
        /// Whether a line has arrived.
        ///
        /// From then on, the stream reports each change of the status.
        var hasTold = false
        /// The transactions that were finished since the stream was opened, and that its snapshot may still contain;
        /// nil after the snapshot.
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
    /// Whether the store has sent a line on an open stream.
    var hasStream: Bool { state.withLock { $0.streams.values.contains(where: \.hasTold) } }
    /// The number of changes so far, by which a look-up detects a change made while it is in progress.
    var changes: Int { state.withLock { $0.changes } }

    /// Applies the store's response to the device's greeting.
    func take(_ status: DeviceStatus, _ receipt: ReceiptUpdate?) {
        state.withLock { state in
            if !state.streams.values.contains(where: \.hasTold) { state.take(status, from: state.streams.keys.max()) }
            if let receipt { state.take(receipt, from: state.streams.keys.max()) }
        }
    }

    func take(_ receipt: ReceiptUpdate) { state.withLock { $0.take(receipt, from: $0.streams.keys.max()) } }

    /// Applies the response to a change of promotions.
    func take(_ update: PromotionUpdate, after change: PromotionChange) {
        state.withLock { state in
            guard let overrides = update.promotionOverrides else {
                return state.status.promotionOverrides.apply(change)
            }
            state.take(overrides, position: update.position, from: state.streams.keys.max())
        }
    }

    /// Applies the response to a look-up, unless the store has changed since the look-up began.
    func take(_ answer: ProductsAnswer, since changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            // Drops all earlier results to limit the memory.
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
            if state.promotionVersion?.stream == number { state.promotionVersion = nil }
        }
    }

    /// Applies a line of a stream, except the batch of updates in it.
    func take(_ line: UpdateLine, fromStream number: Int) {
        state.withLock { state in
            if let status = line.status { state.take(status, from: number) }
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

    /// Removes the receipts of finished transactions.
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

    /// Notifies the listeners that results may have changed.
    func notify() {
        let listeners = state.withLock { state in
            state.listeners.removeAll { $0.value == nil }
            return state.listeners.compactMap(\.value)
        }
        for listener in listeners { listener.historyChanged() }
    }
}

extension KnownAnswers.State {
    /// Applies a status, in which the app's changes to promotions may be older than the known ones.
    fileprivate mutating func take(_ status: DeviceStatus, from stream: Int?) {
        let overrides = self.status.promotionOverrides
        self.status = status
        self.status.promotionOverrides = overrides
        take(status.promotionOverrides, position: status.promotionPosition, from: stream)
    }

    /// Applies the app's changes to promotions, unless newer ones are known.
    fileprivate mutating func take(_ overrides: PromotionOverrides, position: Int?, from stream: Int?) {
        // A store without a position has no change, or does not tell positions, and then none is known.
        if let known = promotionVersion?.position, position ?? -1 < known { return }
        status.promotionOverrides = overrides
        promotionVersion = position.flatMap { position in stream.map { (position, $0) } }
    }

    /// Applies the app receipt, unless a newer one is known.
    fileprivate mutating func take(_ receipt: ReceiptUpdate, from stream: Int?) {
        if let known = receiptVersion?.position, let position = receipt.position, position < known { return }
        appReceipt = receipt.receipt
        receiptVersion = receipt.position.flatMap { position in stream.map { (position, $0) } }
    }
}
