import Foundation

@testable import StoreCore

/// Random records, as a seed replays them: runs of sales and finishes that often differ in their numbers alone.
struct RecordMaker {
    private var random: SplitMix64
    private var date = Date(timeIntervalSinceReferenceDate: 0)
    private var number = 1
    private var transaction: TransactionNumber = 1000
    private var journal = JournalID(rawValue: 1)
    private var device: DeviceID = 0
    private var account: AccountID? = 0
    private var product: ProductIndex? = 0
    private var charge: Decimal? = amount("0.99")
    private var payment = StorePayment(productIdentifier: "coins")

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Amounts, of which the second and the third are equal and stored differently.
    static let charges: [Decimal?] = [nil, amount("0.99"), uncompact("0.99"), 0, amount("0.00"), 12, .nan]

    /// Names, of which the last two are equal and stored differently.
    static let names = ["coins", "com.example.coins.of.gold", "caf\u{e9}", "cafe\u{301}"]

    /// The same amount with as many digits as there is room for.
    static func uncompact(_ text: String) -> Decimal {
        var result = amount(text)
        var small = amount("0.00000000000000000000000000000000001")
        _ = NSDecimalNormalize(&result, &small, .plain)
        return result
    }

    mutating func next() -> LedgerRecord {
        while chance(5) { change() }
        number = chance(60) ? number &+ distance() : number &+ 1
        transaction = TransactionNumber(rawValue: transaction.rawValue &+ (chance(60) ? distance() : 1))
        return LedgerRecord(date: date, event: event())
    }

    private mutating func change() {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: journal = JournalID(rawValue: pick([1, 2, .max]))
        case 1: device = pick([0, 1, 2])
        case 2: account = pick([nil, 0, 1])
        case 3: product = pick([nil, 0, 1])
        case 4: charge = pick(Self.charges)
        case 5: payment = newPayment()
        case 6: payment.applicationUsername = pick(Self.names)
        // Equal moments may be stored differently.
        case 7: date = Date(timeIntervalSinceReferenceDate: pick([0, -0.0, 1, .nan, .infinity]))
        default: date += 1
        }
    }

    private mutating func newPayment() -> StorePayment {
        var discount: StoreDiscount?
        if chance(3) {
            discount = StoreDiscount(
                identifier: pick(Self.names),
                keyIdentifier: pick(Self.names),
                nonce: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, pick([0, 1]))),
                signature: pick(Self.names),
                timestamp: pick([0, 1])
            )
        }
        return StorePayment(
            productIdentifier: pick(Self.names),
            quantity: pick([1, 2]),
            applicationUsername: pick([nil] + Self.names),
            requestData: pick([nil, nil, Data([1])]),
            simulatesAskToBuyInSandbox: chance(5),
            discount: discount
        )
    }

    private mutating func event() -> StoreEvent {
        // One that says the same and is another object, as apps make them.
        if chance(2) { payment.quantity = payment.quantity }
        let id = OrderID(journal: journal, number: number)
        let order = StoreEvent.Order(
            device: device,
            account: account,
            command: id,
            transaction: transaction,
            payment: payment,
            product: product,
            charge: charge,
            subscription: chance(12) ? .begins(term()) : nil
        )
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9: return .sold(order)
        case 9..<15: return .finished(finish(id))
        default: return rare(order)
        }
    }

    private mutating func finish(_ command: OrderID) -> StoreEvent.Finish {
        let order = OrderID(
            journal: chance(10) ? JournalID(rawValue: 3) : journal,
            number: chance(20) ? distance() : number &- 1
        )
        return StoreEvent.Finish(
            device: device,
            command: command,
            transaction: chance(10) ? nil : transaction,
            order: chance(10) ? nil : order,
            account: account
        )
    }

    private mutating func rare(_ order: StoreEvent.Order) -> StoreEvent {
        let failure = StoreFailure(domain: .storeKit, code: 2, reason: "no")
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .ordered(order)
        case 1: return .refused(order, failure)
        case 2: return .approved(order)
        case 3: return .declined(transaction: transaction, failure)
        case 4: return .registered(.consumable(pick(Self.names), price: "0.99"))
        case 5: return .operator(.interrupted(order, failure))
        case 6: return .operator(.family(.founded(name: pick(Self.names), organizer: 0)))
        case 7: return .operator(.family(.shared(sharing())))
        case 8: return .renewed(subscription: 0, transaction: transaction, term(), charge: charge ?? 0)
        case 9: return .restored(restoration(order.command))
        case 10: return .billing(.renewalLimit(pick([nil, 3])))
        default: return .unreadable
        }
    }

    private mutating func restoration(_ command: OrderID) -> StoreEvent.Restoration {
        StoreEvent.Restoration(
            device: device,
            account: 0,
            command: command,
            applicationUsername: pick([nil] + Self.names),
            history: 0..<3,
            transactions: 5..<8
        )
    }

    private mutating func sharing() -> FamilyChange.Sharing {
        FamilyChange.Sharing(
            key: Families.Key(purchaser: 0, member: 1, item: .subscription(original: transaction)),
            transaction: transaction,
            product: 0,
            term: chance(2) ? term() : nil,
            isSilent: chance(2)
        )
    }

    private mutating func term() -> SubscriptionTerm {
        SubscriptionTerm(
            product: 0,
            start: date,
            cycle: BillingCycle(from: date, at: .realTime),
            offer: nil,
            original: transaction,
            originalDate: date
        )
    }

    /// How far a number leaps: also further than four bytes hold, and around the end.
    private mutating func distance() -> Int {
        pick([-1, 0, 2, 70_000, Int(Int32.max), Int(Int32.max) + 1, Int(Int32.min), Int(Int32.min) - 1, .max, .min])
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}
