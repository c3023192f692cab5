import Foundation

/// An event that often repeats an earlier one with other command, transaction or order numbers.
protocol Renumberable: Sendable {
    /// Returns the differences of the numbers from those of another event; nil if the events differ in anything else.
    ///
    /// Equal values in another representation, such as a decimal number with a trailing zero, differ too.
    func offsets(from other: Self) -> NumberOffsets?
    /// Returns the same event under other numbers.
    func advanced(by offsets: NumberOffsets) -> Self
}

extension StoreEvent {
    /// Returns a sale or a finish under other numbers, and any other event unchanged.
    func advanced(by offsets: NumberOffsets) -> StoreEvent {
        guard offsets != .zero else { return self }
        switch self {
        case .sold(let order): return .sold(order.advanced(by: offsets))
        case .finished(let finish): return .finished(finish.advanced(by: offsets))
        default: return self
        }
    }
}

extension OrderID {
    fileprivate func advanced(by offset: Int32) -> OrderID { OrderID(journal: journal, number: number &+ Int(offset)) }
}

extension TransactionNumber {
    fileprivate func advanced(by offset: Int32) -> TransactionNumber {
        TransactionNumber(rawValue: rawValue &+ Int(offset))
    }
}

extension StoreEvent.Order: Renumberable {
    // Compares bits, since `==` regards some amounts and texts with different bits as equal. A sale with an effect on a
    // subscription is never a repetition.
    @inline(__always)
    func offsets(from other: StoreEvent.Order) -> NumberOffsets? {
        guard device == other.device, account == other.account, command.journal == other.command.journal,
            product == other.product, DecimalBits(charge) == DecimalBits(other.charge), case nil = subscription,
            case nil = other.subscription
        else { return nil }
        let offsets = NumberOffsets(
            command: command.number &- other.command.number,
            transaction: transaction.rawValue &- other.transaction.rawValue,
            order: 0
        )
        return payment.isIdentical(to: other.payment) ? offsets : nil
    }

    func advanced(by offsets: NumberOffsets) -> StoreEvent.Order {
        StoreEvent.Order(
            device: device,
            account: account,
            command: command.advanced(by: offsets.command),
            transaction: transaction.advanced(by: offsets.transaction),
            payment: payment,
            product: product,
            charge: charge,
            subscription: subscription
        )
    }
}

extension StoreEvent.Finish: Renumberable {
    @inline(__always)
    func offsets(from other: StoreEvent.Finish) -> NumberOffsets? {
        guard let transaction, let otherTransaction = other.transaction, let order, let otherOrder = other.order,
            device == other.device, account == other.account, command.journal == other.command.journal,
            order.journal == otherOrder.journal
        else { return nil }
        return NumberOffsets(
            command: command.number &- other.command.number,
            transaction: transaction.rawValue &- otherTransaction.rawValue,
            order: order.number &- otherOrder.number
        )
    }

    func advanced(by offsets: NumberOffsets) -> StoreEvent.Finish {
        StoreEvent.Finish(
            device: device,
            command: command.advanced(by: offsets.command),
            transaction: transaction?.advanced(by: offsets.transaction),
            order: order?.advanced(by: offsets.order),
            account: account
        )
    }
}

/// The bytes of an amount, all of which are significant, since `Decimal` has no padding.
private struct DecimalBits: Equatable {
    private let words: Words?

    private struct Words: Equatable {
        let first: UInt32
        let second: UInt32
        let third: UInt32
        let fourth: UInt32
        let fifth: UInt32
    }

    @inline(__always)
    init(_ amount: Decimal?) { words = amount.map { unsafeBitCast($0, to: Words.self) } }
}

/// The differences between the numbers of two sales or finishes that are equal otherwise.
///
/// Differences wrap around, and so do the sums that revert them.
struct NumberOffsets: Hashable, Sendable {
    static let zero = NumberOffsets()

    let command: Int32
    let transaction: Int32
    /// The difference of the orders that created the finished transactions.
    let order: Int32

    private init() {
        command = 0
        transaction = 0
        order = 0
    }

    /// Returns nil if a difference does not fit 32 bits.
    @inline(__always)
    init?(command: Int, transaction: Int, order: Int) {
        self.command = Int32(truncatingIfNeeded: command)
        self.transaction = Int32(truncatingIfNeeded: transaction)
        self.order = Int32(truncatingIfNeeded: order)
        guard self.command == command, self.transaction == transaction, self.order == order else { return nil }
    }
}

extension LedgerRecord {
    /// The record that a ledger returns in place of one that can no longer be read.
    ///
    /// The store continues without the lost record, and skips later ones that refer to objects created in it.
    public static let unreadable = LedgerRecord(date: .distantPast, event: .unreadable)

    /// Whether the record adds or removes an object that later records name by number, such as an account.
    ///
    /// Without the record, those numbers would name other objects. A ledger that protects some records better than
    /// others has to protect these.
    public var isCountedOn: Bool {
        switch event {
        case .registered, .accountAdded, .deviceAdded, .redeemed: true
        case .sold(let order), .approved(let order): order.subscription != nil
        case .operator(let change): change.isCountedOn
        case .unreadable, .availability, .signedIn, .paymentsAllowed, .ordered, .refused, .asked, .deferred, .held,
            .declined, .finished, .restored, .restoreEnded, .restoreRefused, .receiptRefreshed, .renewed, .ended,
            .autoRenewal, .billing:
            false
        }
    }
}

extension OperatorChange {
    fileprivate var isCountedOn: Bool {
        switch self {
        case .bought(let purchase), .resolved(_, let purchase): purchase.subscription != nil
        case .family(.founded), .cleared, .deleted: true
        case .asksToBuy, .interruptsPurchases, .interrupted, .interruptedLater, .storefront, .promoted, .newsTold,
            .promotionChanged, .tokenMade, .tokensRevoked, .appPurchase, .refunded, .family, .server,
            .external:
            false
        }
    }
}
