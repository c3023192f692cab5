import Foundation

// The binary form of a record in a ledger on disk: frequent events in a packed form, all others in JSON.
extension LedgerRecord {
    /// The first byte of a packed record.
    private enum Form: UInt8 {
        case json, sold, finished, bought, attempted
    }

    /// Returns the record as bytes.
    ///
    /// - Throws: the error that prevents encoding the record.
    package func packed() throws -> Data {
        var pack = BinaryEncoder()
        switch event {
        case .sold(let order) where order.subscription == nil:
            // A charge with more digits than `Int` holds has no short form, so the record is encoded as JSON.
            guard let charge = ShortDecimal(order.charge ?? -1) else { break }
            pack.add(Form.sold.rawValue)
            pack.add(date)
            pack.add(order.device)
            pack.add(order.account)
            order.command.pack(into: &pack)
            pack.add(order.transaction)
            order.payment.pack(into: &pack)
            pack.add(order.product)
            charge.pack(into: &pack)
            return pack.data
        case .finished(let finish):
            pack.add(Form.finished.rawValue)
            pack.add(date)
            pack.add(finish.device)
            finish.command.pack(into: &pack)
            pack.add(finish.transaction)
            pack.add(finish.account)
            pack.add(finish.order == nil ? 0 : 1 as UInt8)
            finish.order?.pack(into: &pack)
            return pack.data
        case .operator(.bought(let purchase)) where purchase.subscription == nil && purchase.held == nil:
            guard let charge = ShortDecimal(purchase.charge) else { break }
            pack.add(Form.bought.rawValue)
            pack.add(date)
            pack.add(purchase.device)
            pack.add(purchase.account)
            pack.add(purchase.transaction)
            purchase.payment.pack(into: &pack)
            pack.add(purchase.product)
            charge.pack(into: &pack)
            return pack.data
        case .operator(.server(.attempted(let record, let index, let result))):
            pack.add(Form.attempted.rawValue)
            pack.add(date)
            pack.add(record)
            pack.add(index)
            pack.add(result)
            return pack.data
        default: break
        }
        pack.add(Form.json.rawValue)
        pack.add(bytes: try JSONEncoder().encode(self))
        return pack.data
    }

    /// Creates a record from its packed bytes.
    ///
    /// - Throws: an error for bytes that ``packed()`` did not create.
    package init(unpacking data: Data) throws {
        var pack = BinaryDecoder(data)
        switch Form(rawValue: try pack.byte()) {
        case .json: self = try JSONDecoder().decode(LedgerRecord.self, from: data.dropFirst())
        case .sold:
            let date = try pack.date()
            let order = StoreEvent.Order(
                device: try pack.number(),
                account: try pack.optionalNumber(),
                command: try OrderID(unpacking: &pack),
                transaction: try pack.number(),
                payment: try StorePayment(unpacking: &pack),
                product: try pack.optionalNumber(),
                charge: Self.charge(try ShortDecimal(unpacking: &pack))
            )
            self.init(date: date, event: .sold(order))
        case .finished:
            let date = try pack.date()
            let device: DeviceID = try pack.number()
            let command = try OrderID(unpacking: &pack)
            let transaction: TransactionNumber? = try pack.optionalNumber()
            let account: AccountID? = try pack.optionalNumber()
            let finish = StoreEvent.Finish(
                device: device,
                command: command,
                transaction: transaction,
                order: try pack.byte() == 0 ? nil : OrderID(unpacking: &pack),
                account: account
            )
            self.init(date: date, event: .finished(finish))
        case .bought:
            let date = try pack.date()
            let device: DeviceID? = try pack.optionalNumber()
            let purchase = UnorderedPurchase(
                account: try pack.number(),
                device: device,
                transaction: try pack.number(),
                payment: try StorePayment(unpacking: &pack),
                product: try pack.number(),
                charge: try ShortDecimal(unpacking: &pack).value,
                subscription: nil
            )
            self.init(date: date, event: .operator(.bought(purchase)))
        case .attempted:
            let date = try pack.date()
            let attempt = ServerChange.attempted(record: try pack.int(), index: try pack.int(), result: try pack.text())
            self.init(date: date, event: .operator(.server(attempt)))
        case nil: throw BinaryDecoder.Trouble()
        }
    }

    /// Returns a packed charge; an amount below 0 means that there is none.
    private static func charge(_ packed: ShortDecimal) -> Decimal? { packed.value < 0 ? nil : packed.value }
}

extension OrderID: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(bits: journal.rawValue)
        pack.add(number)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let journal = JournalID(rawValue: try pack.bits())
        self.init(journal: journal, number: try pack.int())
    }
}

/// Ledger records in memory, most of which repeat an earlier one with other numbers.
///
/// A sale or a finish takes sixteen bytes if it differs from the last one stored whole in its segment only in its
/// numbers and its date, and eight more if its date differs from the last record's. Every other event is stored whole.
/// Segments are never moved: appending takes constant time.
struct PackedRecords: Sendable {
    private var full: ContiguousArray<Segment> = []
    private var open = Segment()
    /// The last sale stored whole in the open segment.
    private var sale: Template<StoreEvent.Order>?
    /// The last finish stored whole in the open segment.
    private var finish: Template<StoreEvent.Finish>?

    /// The number of records.
    var count: Int { full.count * Segment.size + open.count }

    /// Appends a record.
    mutating func append(_ record: LedgerRecord) {
        if open.count == Segment.size { beginSegment() }
        let repetition = repetition(of: record.event)
        open.append(repetition ?? store(record.event), at: record.date)
        assert(repetition == nil || open[open.count - 1].event == record.event, "A field is not compared")
    }

    /// Returns records in order.
    ///
    /// - Parameters:
    ///   - position: the number of records to skip.
    ///   - limit: the maximum number to read.
    /// - Returns: the records, fewer than `limit` only at the end.
    func read(after position: Int, limit: Int) -> [LedgerRecord] {
        let end = position + min(limit, count - position)
        guard position < end else { return [] }
        return (position..<end).map { index in
            let segment = index / Segment.size
            let offset = index % Segment.size
            return segment < full.count ? full[segment][offset] : open[offset]
        }
    }

    @inline(__always)
    private func repetition(of event: StoreEvent) -> Repetition? {
        // Optional chaining, since binding the template to a name would retain and release it.
        switch event {
        case .sold(let order): sale?.repetition(by: order)
        case .finished(let event): finish?.repetition(by: event)
        default: nil
        }
    }

    /// Stores an event in full, as the template for later ones.
    @inline(never)
    private mutating func store(_ event: StoreEvent) -> Repetition {
        let place = open.store(event)
        switch event {
        case .sold(let order): sale = Template(event: order, place: place)
        case .finished(let event): finish = Template(event: event, place: place)
        default: break
        }
        return Repetition(offsets: .zero, place: place)
    }

    @inline(never)
    private mutating func beginSegment() {
        full.append(open)
        // Later segments reserve their capacity; the first grows like an array, since most stores append little to it.
        open = Segment(isReserved: true)
        sale = nil
        finish = nil
    }
}

/// An event of the open segment, with which later ones are compared.
private struct Template<Event: Renumberable>: Sendable {
    let event: Event
    /// The event's index among those that the segment stores in full.
    let place: UInt8

    @inline(__always)
    func repetition(by other: Event) -> Repetition? {
        other.offsets(from: event).map { Repetition(offsets: $0, place: place) }
    }
}

/// A repetition, under other numbers, of an event that is stored in full.
private struct Repetition: Sendable {
    let offsets: NumberOffsets
    /// The index of the repeated event among those that its segment stores in full.
    let place: UInt8
}

/// A run of records, each composed of one of a few events stored in full and one of a few dates.
private struct Segment: Sendable {
    /// The capacity, at which indices of events and dates still fit into a byte.
    static let size = 256

    private struct Row: Sendable {
        let event: Repetition
        let moment: UInt8
    }

    private var rows: ContiguousArray<Row> = []
    private var events: ContiguousArray<StoreEvent> = []
    /// The bit patterns of the dates, each different from the one before; equal dates may differ in their bits.
    private var moments: ContiguousArray<UInt64> = []

    init(isReserved: Bool = false) {
        if isReserved { rows.reserveCapacity(Self.size) }
    }

    var count: Int { rows.count }

    subscript(index: Int) -> LedgerRecord {
        let row = rows[index]
        let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: moments[Int(row.moment)]))
        return LedgerRecord(date: date, event: events[Int(row.event.place)].advanced(by: row.event.offsets))
    }

    /// Stores an event in full, and returns its index.
    mutating func store(_ event: StoreEvent) -> UInt8 {
        events.append(event)
        return UInt8(events.count - 1)
    }

    @inline(__always)
    mutating func append(_ event: Repetition, at date: Date) {
        let moment = date.timeIntervalSinceReferenceDate.bitPattern
        if moments.last != moment { begin(moment) }
        rows.append(Row(event: event, moment: UInt8(truncatingIfNeeded: moments.count &- 1)))
    }

    @inline(never)
    private mutating func begin(_ moment: UInt64) { moments.append(moment) }
}
