import Foundation

// The encoding of the rows in a snapshot of the state, which may have very many rows.

extension SandboxState.Row: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(account)
        pack.add(device)
        pack.add(product)
        pack.add(history)
        transaction.pack(into: &pack)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let account: AccountID? = try pack.optionalNumber()
        let device: DeviceID? = try pack.optionalNumber()
        let product: ProductIndex? = try pack.optionalNumber()
        let history: PurchaseIndex? = try pack.optionalNumber()
        self.init(
            transaction: try StoreTransaction(unpacking: &pack),
            account: account,
            device: device,
            product: product,
            history: history
        )
    }
}

extension SandboxState.Purchase: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let flags = [
            isFinished, isDeferredChange, term != nil, isRenewal, isShared, isCancelled, isDeleted, continuesPeriod,
        ]
        pack.add(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) } as UInt8)
        pack.add((isForGood ? 1 : 0) | (isCharged ? 2 : 0) as UInt8)
        pack.add(product)
        if let term { pack.add(json: term) }
        switch source {
        case .details(let details): details.pack(into: &pack)
        case .renewal(let transaction): transaction.pack(into: &pack)
        }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let (flags, moreFlags) = try (pack.byte(), pack.byte())
        let product: ProductIndex = try pack.number()
        let term = flags & 4 == 0 ? nil : try pack.json(SubscriptionTerm.self)
        let source: Source =
            flags & 8 == 0
            ? .details(try StoreTransaction.Details(unpacking: &pack))
            : .renewal(try StoreTransaction(unpacking: &pack))
        self.init(
            source: source,
            product: product,
            term: term,
            isDeferredChange: flags & 2 != 0,
            continuesPeriod: flags & 128 != 0,
            isForGood: moreFlags & 1 != 0,
            isCharged: moreFlags & 2 != 0,
            isFinished: flags & 1 != 0,
            isShared: flags & 16 != 0,
            isCancelled: flags & 32 != 0,
            isDeleted: flags & 64 != 0
        )
    }

    private var isRenewal: Bool { if case .renewal = source { true } else { false } }
}

extension SandboxState.Account: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(name)
        pack.add(unfinished)
        pack.add(lastPayment ?? .distantPast)
        pack.add(owned.sorted())
        consumables.pack(into: &pack)
        pack.add(history.count)
        for index in history.indices { history[index].pack(into: &pack) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        self.init(name: try pack.text())
        unfinished = try pack.int()
        let date = try pack.date()
        lastPayment = date == .distantPast ? nil : date
        owned = Set(try pack.numbers())
        consumables = try UnfinishedConsumables(unpacking: &pack)
        for _ in try pack.count() {
            let purchase = try SandboxState.Purchase(unpacking: &pack)
            history.append(purchase, TransactionNumber(purchase.identifier))
        }
    }
}

extension SandboxState.Device: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let hasClaims = receiptClaims != ReceiptClaims()
        pack.add((mayPay ? 1 : 0) | (hasReceipt ? 2 : 0) | (hasClaims ? 4 : 0) as UInt8)
        pack.add(name)
        pack.add(account)
        pack.add(accounts)
        pack.add(unfinished)
        pack.add(start)
        taken.pack(into: &pack)
        if hasClaims { pack.add(json: receiptClaims) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let flags = try pack.byte()
        let name = try pack.text()
        let account: AccountID? = try pack.optionalNumber()
        self.init(name: name, account: account, accounts: try pack.numbers())
        (mayPay, hasReceipt) = (flags & 1 != 0, flags & 2 != 0)
        unfinished = try pack.int()
        start = try pack.int()
        taken = try IdempotencyRecord(unpacking: &pack)
        if flags & 4 != 0 { receiptClaims = try pack.json(ReceiptClaims.self) }
    }
}

extension Families.Family: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) { pack.add(json: self) }
    init(unpacking pack: inout BinaryDecoder) throws { self = try pack.json(Self.self) }
}

extension Subscriptions.Subscription: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) { pack.add(json: self) }
    init(unpacking pack: inout BinaryDecoder) throws { self = try pack.json(Self.self) }
}

extension StoreTransaction: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add((order == nil ? 0 : 1) | (ownPayment == nil ? 0 : 2) | (hasDetails ? 4 : 0) as UInt8)
        pack.add(state.rawValue)
        pack.add(identifier)
        pack.add(date)
        order?.pack(into: &pack)
        ownPayment?.pack(into: &pack)
        details?.pack(into: &pack)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let flags = try pack.byte()
        guard let state = State(rawValue: try pack.byte()) else { throw BinaryDecoder.Trouble() }
        let identifier = try pack.text()
        let date = try pack.date()
        let order = flags & 1 == 0 ? nil : try OrderID(unpacking: &pack)
        let payment = flags & 2 == 0 ? nil : try pack.payment()
        let details = flags & 4 == 0 ? nil : try Details(unpacking: &pack)
        self.init(identifier: identifier, order: order, payment: payment, state: state, date: date, details: details)
    }
}

extension StoreTransaction.Details: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let isRare = failure != nil || receipt != nil || !content.isEmpty || held != nil
        pack.add((isRare ? 1 : 0) | (original == nil ? 0 : 2) as UInt8)
        if isRare { return pack.add(json: self) }
        guard let original else { return }
        pack.add(original.identifier)
        pack.add(original.date)
        original.payment.pack(into: &pack)
    }

    convenience init(unpacking pack: inout BinaryDecoder) throws {
        let flags = try pack.byte()
        if flags & 1 != 0 {
            let rare = try pack.json(Self.self)
            self.init(
                failure: rare.failure,
                original: rare.original,
                receipt: rare.receipt,
                content: rare.content,
                held: rare.held
            )
            return
        }
        guard flags & 2 != 0 else {
            self.init(failure: nil, original: nil, receipt: nil)
            return
        }
        let identifier = try pack.text()
        let date = try pack.date()
        let payment = try pack.payment()
        let original = StoreTransaction.Original(identifier: identifier, date: date, payment: payment)
        self.init(failure: nil, original: original, receipt: nil)
    }
}

extension StorePayment: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        // Nearly all payments have only these fields.
        var plain = StorePayment(productIdentifier: productIdentifier, quantity: quantity)
        if isStoreKit2 { plain.isStoreKit2 = true }
        let isPlain = self == plain
        pack.add(isPlain ? isStoreKit2 ? 2 : 1 : 0 as UInt8)
        if !isPlain { return pack.add(json: self) }
        pack.add(productIdentifier)
        pack.add(quantity)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let form = try pack.byte()
        if form == 0 {
            self = try pack.json(Self.self)
        } else {
            let productIdentifier = try pack.text()
            self.init(productIdentifier: productIdentifier, quantity: try pack.int())
            if form == 2 { isStoreKit2 = true }
        }
    }
}

extension BinaryDecoder {
    /// Reads a payment, which most rows share with the previous row.
    fileprivate mutating func payment() throws -> StorePayment { try sharedPayment(StorePayment.init(unpacking:)) }
}

/// An optional number in four bytes, which keeps the rows of a state small.
///
/// Nil is -1, in memory and encoded.
@propertyWrapper
struct Packed<Number: TypedNumber>: Codable, Sendable {
    private var value: Int32

    @inline(__always)
    init(wrappedValue: Number?) { value = wrappedValue.map { Int32(truncatingIfNeeded: $0.rawValue) } ?? -1 }

    var wrappedValue: Number? {
        @inline(__always) get { value < 0 ? nil : Number(rawValue: Int(value)) }
        @inline(__always) set { self = Packed(wrappedValue: newValue) }
    }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int32.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A part of the state that most stores never use, equal to `init()` in a new store.
///
/// A snapshot encodes the part as JSON, but omits a new part, which saves time when the store is opened.
protocol StatePart: Codable, Sendable {
    init()
    /// Whether the part equals that of a new store.
    var isNew: Bool { get }
}

extension StatePart where Self: Equatable {
    var isNew: Bool { self == Self() }
}

extension BinaryEncoder {
    /// Adds a part of the state, with no bytes while it is new.
    mutating func add(_ part: some StatePart) throws {
        var pack = BinaryEncoder()
        if !part.isNew { try SnapshotRows.encode(part, into: &pack) }
        add(pack.data)
    }
}

extension BinaryDecoder {
    /// Reads a part of the state.
    mutating func statePart<Part: StatePart>() throws -> Part {
        var pack = try part()
        return pack.isAtEnd ? Part() : try SnapshotRows.decode(Part.self, unpacking: &pack)
    }
}

/// The packed rows of the tables and arrays in a snapshot's JSON.
///
/// The rows follow the JSON, which contains a number in place of each table or array. As JSON, rows would take a third
/// more bytes, and be read twice.
final class SnapshotRows: Sendable {
    private static let key = CodingUserInfoKey(rawValue: "SnapshotRows")
    private let packed: Locked<[Data]>
    private let unpacked: [BinaryDecoder]

    private init(_ unpacked: [BinaryDecoder] = []) {
        packed = Locked([])
        self.unpacked = unpacked
    }

    /// Encodes a value that contains rows.
    static func encode(_ value: some Encodable, into pack: inout BinaryEncoder) throws {
        let rows = SnapshotRows()
        let encoder = JSONEncoder()
        // Sorted, so that equal values have equal bytes, except for the order of sets.
        encoder.outputFormatting = .sortedKeys
        if let key { encoder.userInfo[key] = rows }
        pack.add(try encoder.encode(value))
        rows.packed.withLock { for data in $0 { pack.add(data) } }
    }

    /// Decodes a value encoded by ``encode(_:into:)``, to the end of the bytes.
    static func decode<Value: Decodable>(_ type: Value.Type, unpacking pack: inout BinaryDecoder) throws -> Value {
        let json = try pack.data()
        var parts: [BinaryDecoder] = []
        while !pack.isAtEnd { parts.append(try pack.part()) }
        let decoder = JSONDecoder()
        if let key { decoder.userInfo[key] = SnapshotRows(parts) }
        return try decoder.decode(type, from: json)
    }

    fileprivate static func add(_ rows: Data, to encoder: any Encoder) throws {
        guard let key, let all = encoder.userInfo[key] as? SnapshotRows else {
            let text = "Rows are encoded in a snapshot only"
            throw EncodingError.invalidValue(rows, .init(codingPath: encoder.codingPath, debugDescription: text))
        }
        let number = all.packed.withLock { packed in
            packed.append(rows)
            return packed.count - 1
        }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    fileprivate static func take(from decoder: any Decoder) throws -> BinaryDecoder {
        let number = try decoder.singleValueContainer().decode(Int.self)
        guard let key, let rows = decoder.userInfo[key] as? SnapshotRows, rows.unpacked.indices.contains(number) else {
            throw BinaryDecoder.Trouble()
        }
        return rows.unpacked[number]
    }
}

extension SlotTable where Row: BinaryCodable {
    /// The encoded rows, each preceded by its number.
    var packed: Data {
        var pack = BinaryEncoder()
        forEach { number, row in
            pack.add(number)
            row.pack(into: &pack)
        }
        return pack.data
    }

    /// Decodes the remaining bytes as ``packed`` rows.
    init(unpacking pack: inout BinaryDecoder) throws { self = try Row.table(unpacking: &pack) }
}

extension SlotTable: Codable where Row: BinaryCodable {
    init(from decoder: any Decoder) throws {
        var pack = try SnapshotRows.take(from: decoder)
        try self.init(unpacking: &pack)
    }

    func encode(to encoder: any Encoder) throws { try SnapshotRows.add(packed, to: encoder) }
}

extension Table where Row: BinaryCodable {
    /// The encoded rows.
    var packed: Data {
        var pack = BinaryEncoder()
        for row in self { row.pack(into: &pack) }
        return pack.data
    }

    /// Decodes the remaining bytes as ``packed`` rows.
    init(unpacking pack: inout BinaryDecoder) throws {
        var rows: [Row] = []
        while !pack.isAtEnd { rows.append(try Row(unpacking: &pack)) }
        self.init(rows)
    }
}

extension Table: Codable where Row: BinaryCodable {
    init(from decoder: any Decoder) throws {
        var pack = try SnapshotRows.take(from: decoder)
        try self.init(unpacking: &pack)
    }

    func encode(to encoder: any Encoder) throws { try SnapshotRows.add(packed, to: encoder) }
}

extension SegmentedArray: Codable where Element: BinaryCodable {
    init(from decoder: any Decoder) throws {
        var pack = try SnapshotRows.take(from: decoder)
        self = try Element.array(unpacking: &pack)
    }

    func encode(to encoder: any Encoder) throws {
        var pack = BinaryEncoder()
        for index in 0..<count { self[index].pack(into: &pack) }
        try SnapshotRows.add(pack.data, to: encoder)
    }
}

// Access to rows by the numbers of transactions.
extension SlotTable {
    subscript(number: TransactionNumber) -> Row? {
        @inline(__always) get { self[number.rawValue] }
    }

    @inline(__always)
    mutating func insert(_ row: consuming Row, at number: TransactionNumber) { insert(row, at: number.rawValue) }

    @discardableResult
    @inline(__always)
    mutating func update(_ number: TransactionNumber, _ body: (inout Row) -> Void) -> Bool {
        update(number.rawValue, body)
    }

    @discardableResult
    @inline(__always)
    mutating func remove(_ number: TransactionNumber) -> Row? { remove(number.rawValue) }

    /// Calls a function with each number and its row, in the order of the numbers.
    func forEachTransaction(_ body: (TransactionNumber, Row) throws -> Void) rethrows {
        try forEach { number, row in try body(TransactionNumber(rawValue: number), row) }
    }
}
