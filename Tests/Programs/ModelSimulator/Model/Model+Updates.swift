import Foundation
import StoreCore

// Updates from the store.
extension Model {
    /// The cost of a transaction in cents, nil for what was not sold, and the end of its period, nil for none.
    typealias Terms = (cents: Int?, end: Date?)

    /// Records that the store tells a device of a transaction.
    ///
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - device: the device.
    ///   - terms: returns its terms; needed where two differ in nothing else.
    /// - Returns: the violation, if any.
    mutating func hear(_ transaction: StoreTransaction, on device: Int, terms: () -> Terms) -> String? {
        guard let index = find(transaction, on: device, terms: terms) else {
            return "device \(device) was told of transaction \(transaction.identifier), which should not be there"
        }
        if entries[index].isDeleted {
            return "device \(device) was told of transaction \(transaction.identifier), which was deleted"
        }
        if entries[index].identifier == nil {
            if ofIdentifier.updateValue(index, forKey: transaction.identifier) != nil {
                return "the identifier \(transaction.identifier) was given twice"
            }
            entries[index].identifier = transaction.identifier
        } else if entries[index].identifier != transaction.identifier {
            return "payment \(transaction.payment.applicationUsername ?? "") has two transactions"
        }
        let stage = Stage(transaction.state)
        guard !stage.isDecided || stage == entries[index].stage else {
            return "transaction \(transaction.identifier) is told as \(stage), and should be \(entries[index].stage)"
        }
        if stage == .failed, transaction.failure?.code != entries[index].failure?.rawValue {
            return
                "transaction \(transaction.identifier) fails with \(transaction.failure?.code ?? 0), and should with "
                + "\(entries[index].failure?.rawValue ?? 0)"
        }
        return nil
    }

    /// Gives an entry its identifier, which an app has read in the history before any update told of it.
    ///
    /// - Parameters:
    ///   - transaction: what the app has read.
    ///   - original: the transaction that it restores or shares, or that its subscription began with; nil if there is none.
    ///   - tag: the number of the payment that ordered it, if one did.
    ///   - terms: returns its terms; needed where two differ in nothing else.
    /// - Returns: the violation, if any.
    mutating func identify(
        _ transaction: SandboxTransaction,
        original: SandboxTransaction?,
        tag: Int?,
        terms: () -> Terms
    ) -> String? {
        guard ofIdentifier[transaction.id] == nil else { return nil }
        let found: Int?
        if transaction.order != nil {
            found = tag.flatMap { ofTag[$0] }
            if let found, entries[found].identifier != nil {
                return "payment \(tag ?? 0) has two transactions, of which an app finishes \(transaction.id)"
            }
        } else {
            let alike = live.filter { index in
                let entry = entries[index]
                // An interrupted payment is not what resolves it, although both may be of one moment.
                return entry.identifier == nil && entry.origin != .ordered
                    && entry.account.map { Self.accountNames[$0] } == transaction.account
                    && entry.device.map { Self.deviceNames[$0] } == transaction.device
                    && entry.date == transaction.date && entry.product.rawValue == transaction.productIdentifier
                    && entry.quantity == transaction.quantity
                    && (entry.stage == .restored) == (transaction.origin == .restoration)
                    && isSame(entry.original ?? entry.beginning, original)
            }
            found = one(of: alike, terms: terms)
        }
        guard let found else { return nil }
        entries[found].identifier = transaction.id
        ofIdentifier[transaction.id] = found
        return nil
    }

    func isPromoted(_ identifier: String, on device: Int) -> Bool {
        Product(rawValue: identifier).map { devices[device].promotions[$0, default: 0] > 0 } ?? false
    }

    private func find(_ transaction: StoreTransaction, on device: Int, terms: () -> Terms) -> Int? {
        if let known = ofIdentifier[transaction.identifier] { return known }
        switch transaction.state {
        case .restored:
            guard let original = transaction.original else { return nil }
            return live.first { index in
                let entry = entries[index]
                return entry.stage == .restored && entry.device == device && entry.identifier == nil
                    && isSame(entry.original, original)
            }
        case .purchased where transaction.order == nil:
            if transaction.original == nil { return findUnordered(transaction, on: device, terms: terms) }
            return live.first { index in
                let entry = entries[index]
                return (entry.origin == .renewed || entry.origin == .shared) && entry.identifier == nil
                    && entry.account == devices[device].account && entry.date == transaction.date
                    && entry.product.rawValue == transaction.payment.productIdentifier
                    && isSame(entry.original, transaction.original)
            }
        default: return PaymentTag.number(in: transaction.payment.applicationUsername).flatMap { ofTag[$0] }
        }
    }

    /// Returns a purchase that no queue ordered.
    ///
    /// Of two that were made at one moment the later may be heard of first: where the wire held back the sign-in of
    /// another user, a queue asks for that user's transactions once it is told of something new.
    private func findUnordered(_ transaction: StoreTransaction, on device: Int, terms: () -> Terms) -> Int? {
        let alike = live.filter { index in
            let entry = entries[index]
            return [.resolved, .elsewhere, .shared].contains(entry.origin) && entry.original == nil
                && entry.identifier == nil && isVisible(entry, on: device)
                && entry.date == transaction.date && entry.product.rawValue == transaction.payment.productIdentifier
                && entry.quantity == transaction.payment.quantity
        }
        return one(of: alike, terms: terms)
    }

    /// Returns the first of some entries that has the cost, if they differ in it, and the end, if one has it.
    private func one(of alike: [Int], terms: () -> Terms) -> Int? {
        guard alike.count > 1 else { return alike.first }
        let (terms, costs) = (terms(), alike.map { entries[$0].charge ?? 0 })
        let paid = Set(costs).count > 1 ? alike.filter { entries[$0].charge ?? 0 == terms.cents ?? 0 } : alike
        return paid.first { entries[$0].end == terms.end } ?? paid.first
    }

    /// Whether a transaction names an entry as its original; of a silently shared purchase this is the first update.
    private func isSame(_ index: Int?, _ original: StoreTransaction.Original?) -> Bool {
        guard let index, let original else { return false }
        return isSame(index, original.identifier, original.date, original.payment.productIdentifier)
    }

    /// Whether a transaction of the history has an entry as its original, or neither has one.
    private func isSame(_ index: Int?, _ original: SandboxTransaction?) -> Bool {
        guard let index, let original else { return index == nil && original == nil }
        return isSame(index, original.id, original.date, original.productIdentifier)
    }

    private func isSame(_ index: Int, _ identifier: String, _ date: Date, _ product: String) -> Bool {
        let entry = entries[index]
        guard entry.identifier == nil else { return entry.identifier == identifier }
        return ofIdentifier[identifier] == nil && entry.date == date && entry.product.rawValue == product
    }
}
