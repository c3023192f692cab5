import Foundation
import TestSupport
import Testing

@testable import StoreCore

@Suite struct PackedRecordsTests {
    @Test(arguments: 0..<UInt64(rounds(3, thoroughly: 12)))
    func `Records are read as they were appended, from anywhere`(seed: UInt64) {
        var maker = RecordMaker(seed: seed)
        var random = SplitMix64(seed: ~seed)
        var records = PackedRecords()
        var model: [StoredBits] = []
        var wrong: [String] = []
        while model.count < 700 {
            for _ in 0..<Int.random(in: 1...90, using: &random) {
                let record = maker.next()
                model.append(StoredBits(record))
                records.append(record)
            }
            if records.count != model.count { wrong.append("count \(records.count) of \(model.count)") }
            let position = Int.random(in: 0...model.count + 2, using: &random)
            let limit = Int.random(in: 0...80, using: &random)
            let found = records.read(after: position, limit: limit).map(StoredBits.init)
            let expected = Array(model.dropFirst(position).prefix(limit))
            if found != expected { wrong.append("after \(position) of \(model.count), limit \(limit)") }
        }
        let all = records.read(after: 0, limit: .max).map(StoredBits.init)
        for (index, (found, expected)) in zip(all, model).enumerated() {
            for path in found.differences(from: expected) { wrong.append("\(path) of \(index)") }
        }
        #expect(all.count == model.count)
        #expect(wrong == [], "seed \(seed): what was read differently")
    }

    @Test(arguments: [true, false])
    func `Whatever field a sale or a finish differs in, it is read with it`(isSale: Bool) {
        let base = isSale ? Self.sale() : Self.finish()
        let variants = isSale ? Self.variantsOfSale : Self.variantsOfFinish
        #expect(Set(StoredBits(base).leaves.keys) == Set(variants.keys), "every field has its variants")
        for (path, records) in variants { checkVariants(records, of: path, base) }
    }

    @Test func `A sale of which only the numbers are new is not kept itself`() {
        var records = PackedRecords()
        records.append(Self.sale())
        records.append(Self.finish())
        weak var order: StoreEvent.Order?
        func sell(_ sale: StoreEvent.Order) {
            order = sale
            records.append(LedgerRecord(date: Date(timeIntervalSinceReferenceDate: 5), event: .sold(sale)))
        }
        sell(Self.order(number: 8, transaction: 1008, payment: Self.newPayment()))
        #expect(order == nil)
        sell(Self.order(number: 9, product: 4))
        #expect(order != nil, "one of another product is")
    }

    @Test func `Of finishes that differ in their numbers alone, a segment keeps one`() {
        var records = PackedRecords()
        for number in 1...512 {
            let transaction = TransactionNumber(rawValue: 2 * number)
            records.append(Self.finish(Self.finishEvent(number: number, transaction: transaction)))
        }
        #expect(StoredBits(records).leaves.keys.filter { $0.hasSuffix(".finished.device") }.count == 2)
    }

    @Test func `A finish of which only the numbers are new differs in them alone`() throws {
        let last = Self.finishEvent()
        let next = Self.finishEvent(number: 20, transaction: 999, order: 19)
        let offsets = try #require(next.offsets(from: last))
        #expect(last.advanced(by: offsets) == next)
        #expect(offsets.command == 12 && offsets.transaction == -1 && offsets.order == 12)
    }

    @Test(arguments: [(0, Int(Int32.max)), (0, Int(Int32.min)), (Int.max, Int.min), (Int.min, Int.max)])
    func `Numbers differ shortly as far as four bytes count, also across the end`(number: Int, other: Int) {
        let offsets = Self.order(number: other).offsets(from: Self.order(number: number))
        #expect(offsets?.command == Int32(truncatingIfNeeded: other &- number))
        #expect(Self.order(number: other &+ other.signum()).offsets(from: Self.order(number: 0)) == nil)
    }

    @Test func `Nothing is read for a limit of 0, at the end and behind it`() {
        #expect(PackedRecords().read(after: 0, limit: 5) == [])
        let records = Self.sales(256)
        #expect(records.read(after: 3, limit: 0) == [])
        #expect(records.read(after: 256, limit: 5) == [])
        #expect(records.read(after: 300, limit: .max) == [])
        #expect(records.read(after: .max, limit: 5) == [])
        #expect(records.read(after: 255, limit: .max) == [Self.sale(Self.order(number: 256))])
    }

    @Test func `A record appended after a reading is read by the next one`() {
        var records = Self.sales(256)
        #expect(records.read(after: 250, limit: 10).count == 6)
        records.append(Self.sale(Self.order(number: 257)))
        #expect(records.count == 257)
        #expect(records.read(after: 255, limit: 10) == [256, 257].map { Self.sale(Self.order(number: $0)) })
    }

    @Test(arguments: [1, 255, 256, 257, 512])
    func `A copy stays as it is when the original grows, and grows by itself`(count: Int) {
        var records = Self.sales(count)
        let before = records.read(after: 0, limit: .max)
        var copy = records
        let grown = [10_000, 10_001].map { Self.sale(Self.order(number: $0, product: 9)) }
        for record in grown { records.append(record) }
        #expect(copy.count == count && copy.read(after: 0, limit: .max) == before)
        copy.append(Self.sale(Self.order(number: 20_000)))
        #expect(copy.read(after: 0, limit: .max) == before + [Self.sale(Self.order(number: 20_000))])
        #expect(records.read(after: 0, limit: .max) == before + grown)
    }

    /// Checks that each variant of one field is read as it is, between others.
    private func checkVariants(_ variants: [LedgerRecord], of path: String, _ base: LedgerRecord) {
        #expect(!variants.isEmpty)
        for variant in variants {
            let differences = StoredBits(variant).differences(from: StoredBits(base))
            #expect(!differences.isEmpty && differences.allSatisfy { $0.hasPrefix(path) }, "a variant of \(path)")
            var records = PackedRecords()
            let appended = [base, variant, variant, base, base]
            for record in appended { records.append(record) }
            let found = records.read(after: 0, limit: .max).map(StoredBits.init)
            #expect(found == appended.map(StoredBits.init), "\(path)")
        }
    }
}

// MARK: - A sale and a finish, and others that differ in one field

extension PackedRecordsTests {
    private static let moment = Date(timeIntervalSinceReferenceDate: 0)
    private static let otherMoments = [1, -0.0].map { Date(timeIntervalSinceReferenceDate: $0) }

    private static func newPayment() -> StorePayment {
        StorePayment(
            productIdentifier: "caf\u{e9}",
            applicationUsername: "caf\u{e9}",
            requestData: Data([1]),
            discount: StoreDiscount(
                identifier: "caf\u{e9}",
                keyIdentifier: "caf\u{e9}",
                nonce: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
                signature: "caf\u{e9}",
                timestamp: 1
            )
        )
    }

    private static func order(
        device: DeviceID = 1,
        account: AccountID? = 2,
        journal: UInt64 = 7,
        number: Int = 7,
        transaction: TransactionNumber = 1007,
        payment: StorePayment = newPayment(),
        product: ProductIndex? = 3,
        charge: Decimal? = amount("0.99"),
        subscription: SubscriptionChange? = nil
    ) -> StoreEvent.Order {
        StoreEvent.Order(
            device: device,
            account: account,
            command: OrderID(journal: JournalID(rawValue: journal), number: number),
            transaction: transaction,
            payment: payment,
            product: product,
            charge: charge,
            subscription: subscription
        )
    }

    private static func sale(_ order: StoreEvent.Order = order(), at date: Date = moment) -> LedgerRecord {
        LedgerRecord(date: date, event: .sold(order))
    }

    /// Sales under the numbers from 1.
    private static func sales(_ count: Int) -> PackedRecords {
        var records = PackedRecords()
        for number in 1...count { records.append(sale(order(number: number))) }
        return records
    }

    private static func sale(_ change: (inout StorePayment) -> Void) -> LedgerRecord {
        var payment = newPayment()
        change(&payment)
        return sale(order(payment: payment))
    }

    /// Sales with a text of the payment's put into other code units and into another text.
    private static func sales(_ field: WritableKeyPath<StorePayment, String>) -> [LedgerRecord] {
        ["cafe\u{301}", "tea"].map { text in sale { $0[keyPath: field] = text } }
    }

    private static let variantsOfSale: [String: [LedgerRecord]] = {
        let payment = "event.sold.payment.storage"
        let rare = "\(payment).rare.fields"
        let term = SubscriptionTerm(
            product: 3,
            start: moment,
            cycle: BillingCycle(from: moment, at: .realTime),
            offer: nil,
            original: 1007,
            originalDate: moment
        )
        return [
            "date": otherMoments.map { sale(at: $0) },
            "event.sold.device": [sale(order(device: 9))],
            "event.sold.account": [sale(order(account: 9)), sale(order(account: nil))],
            "event.sold.command.journal.rawValue": [sale(order(journal: 9))],
            "event.sold.command.number": [sale(order(number: 9)), sale(order(number: .min))],
            "event.sold.transaction": [
                sale(order(transaction: 9)), sale(order(transaction: TransactionNumber(rawValue: .min))),
            ],
            "event.sold.product": [sale(order(product: 9)), sale(order(product: nil))],
            "event.sold.charge": [amount("0.98"), RecordMaker.uncompact("0.99"), nil].map { sale(order(charge: $0)) },
            "event.sold.subscription": [sale(order(subscription: .begins(term)))],
            "\(payment).productIdentifier": sales(\.productIdentifier),
            "\(payment).quantity": [sale { $0.quantity = 9 }],
            "\(payment).isStoreKit2": [sale { $0.isStoreKit2 = true }],
            "\(rare).applicationUsername": sales(\.applicationUsername!) + [sale { $0.applicationUsername = nil }],
            "\(rare).requestData": [sale { $0.requestData = Data([2]) }, sale { $0.requestData = nil }],
            "\(rare).simulatesAskToBuyInSandbox": [sale { $0.simulatesAskToBuyInSandbox = true }],
            "\(rare).discount.identifier": sales(\.discount!.identifier),
            "\(rare).discount.keyIdentifier": sales(\.discount!.keyIdentifier),
            "\(rare).discount.nonce": [sale { $0.discount!.nonce = UUID() }],
            "\(rare).discount.signature": sales(\.discount!.signature),
            "\(rare).discount.timestamp": [sale { $0.discount!.timestamp = 9 }],
            "\(rare).offer": [sale { $0.offer = StoreOffer(kind: .winBack, identifier: "back") }],
            "\(rare).billingPlan": [sale { $0.billingPlan = .monthly }],
            "\(rare).purchaseDate": [sale { $0.purchaseDate = moment }],
            "\(rare).renewsUntilNow": [sale { $0.renewsUntilNow = true }],
        ]
    }()

    private static func finishEvent(
        device: DeviceID = 1,
        journal: UInt64 = 7,
        number: Int = 8,
        transaction: TransactionNumber? = 1000,
        orderJournal: UInt64 = 6,
        order: Int? = 7,
        account: AccountID? = 2
    ) -> StoreEvent.Finish {
        StoreEvent.Finish(
            device: device,
            command: OrderID(journal: JournalID(rawValue: journal), number: number),
            transaction: transaction,
            order: order.map { OrderID(journal: JournalID(rawValue: orderJournal), number: $0) },
            account: account
        )
    }

    private static func finish(_ event: StoreEvent.Finish = finishEvent(), at date: Date = moment) -> LedgerRecord {
        LedgerRecord(date: date, event: .finished(event))
    }

    private static let variantsOfFinish: [String: [LedgerRecord]] = [
        "date": otherMoments.map { finish(at: $0) },
        "event.finished.device": [finish(finishEvent(device: 9))],
        "event.finished.command.journal.rawValue": [finish(finishEvent(journal: 9))],
        "event.finished.command.number": [9, .min].map { finish(finishEvent(number: $0)) },
        "event.finished.transaction": [9, TransactionNumber(rawValue: .min), nil].map {
            finish(finishEvent(transaction: $0))
        },
        "event.finished.order.journal.rawValue": [finish(finishEvent(orderJournal: 9))],
        "event.finished.order.number": [9, .min].map { finish(finishEvent(order: $0)) },
        "event.finished.account": [9, nil].map { finish(finishEvent(account: $0)) },
    ]
}
