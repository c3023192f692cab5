import Foundation
import StoreCore

/// What is known of a store now: the answers of the services that must not wait for a network.
final class KnownAnswers: Sendable {
    private struct State {
        var status = DeviceStatus()
        var appReceipt: Data?
        /// The receipts of unfinished transactions, by identifier.
        var receipts: [String: Data] = [:]
        /// What the last look-ups said of identifiers, since anything has changed.
        var sells: [String: Bool] = [:]
        var listeners: [Listener] = []
    }

    private struct Listener {
        weak var value: (any HistoryListener)?
    }

    private let state = Locked(State())

    var status: DeviceStatus { state.withLock { $0.status } }
    var appReceipt: Data? { state.withLock { $0.appReceipt } }
    func receipt(forTransaction identifier: String) -> Data? { state.withLock { $0.receipts[identifier] } }
    func sells(_ identifier: String) -> Bool? { state.withLock { $0.sells[identifier] } }

    func take(_ status: DeviceStatus, _ receipt: ReceiptUpdate?) {
        state.withLock { state in
            state.status = status
            if let receipt { state.appReceipt = receipt.receipt }
        }
    }

    func take(_ receipt: ReceiptUpdate) { state.withLock { $0.appReceipt = receipt.receipt } }

    func take(_ change: PromotionChange) { state.withLock { $0.status.promotionOverrides.apply(change) } }

    func take(_ answer: ProductsAnswer) {
        state.withLock { state in
            // Beyond that, the oldest answers are not worth their memory.
            if state.sells.count > DeviceProtocol.mostIdentifiers { state.sells = [:] }
            for product in answer.products { state.sells[product.identifier] = true }
            for identifier in answer.invalidIdentifiers { state.sells[identifier] = false }
        }
    }

    /// Takes what a line says, apart from its batch.
    func take(_ line: UpdateLine) {
        state.withLock { state in
            if let status = line.status { state.status = status }
            if let receipt = line.receipt { state.appReceipt = receipt.receipt }
            for (identifier, receipt) in line.receipts ?? [:] { state.receipts[identifier] = receipt }
            if line.hasChanged == true { state.sells = [:] }
        }
    }

    /// Forgets the receipts of transactions that are finished.
    func forget(_ transactions: some Sequence<String>) {
        state.withLock { state in for identifier in transactions { state.receipts[identifier] = nil } }
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
