/// The places in a ledger at which transactions begin: of some, from which those of the others are a few records away.
///
/// It takes half a byte for each record, and lets a transaction that the state has forgotten be found without reading the
/// ledger.
struct TransactionPlaces: Sendable {
    private struct Place: Sendable {
        let number: TransactionNumber
        /// The number of the records before the one that began the transaction.
        let position: Int
    }

    /// The most records to read behind a place.
    static var distance: Int { 32 }

    private var places = SegmentedArray<Place>()
    private var lastPosition = -Self.distance
    /// The first transaction that can be found.
    private var first: TransactionNumber = 0

    /// Adds a transaction that the record behind a position began.
    @inline(__always)
    mutating func add(_ number: TransactionNumber, at position: Int) {
        if position - lastPosition >= Self.distance { keep(number, position) }
    }

    @inline(never)
    private mutating func keep(_ number: TransactionNumber, _ position: Int) {
        if places.count > 0, places[places.count - 1].number >= number { forget(before: number) }
        places.append(Place(number: number, position: position))
        lastPosition = position
    }

    /// Forgets all transactions before one: what became of them is not in their records alone.
    mutating func forget(before number: TransactionNumber) {
        places = SegmentedArray()
        lastPosition = -Self.distance
        first = number
    }

    /// Returns a position, so that the transaction begins with one of the ``distance`` records behind it; nil for a
    /// transaction that cannot be found so.
    func position(before number: TransactionNumber) -> Int? {
        guard number >= first else { return nil }
        let next = (0..<places.count).partitionPoint { places[$0].number <= number }
        return next > 0 ? places[next - 1].position : nil
    }
}

extension TransactionPlaces: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(first)
        pack.add(places.count)
        var last = Place(number: 0, position: 0)
        for index in 0..<places.count {
            let place = places[index]
            pack.add(place.number.rawValue - last.number.rawValue)
            pack.add(place.position - last.position)
            last = place
        }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        first = try pack.number()
        var last = Place(number: 0, position: 0)
        for _ in try pack.count() {
            let number = TransactionNumber(rawValue: last.number.rawValue + (try pack.int()))
            last = Place(number: number, position: last.position + (try pack.int()))
            places.append(last)
            lastPosition = last.position
        }
    }
}

extension StoreEvent {
    /// Whether the event begins a transaction, alone.
    func begins(_ number: TransactionNumber) -> Bool {
        switch self {
        case .ordered(let order), .sold(let order), .held(let order, _), .refused(let order, _):
            order.transaction == number
        case .renewed(_, let transaction, _, _): transaction == number
        case .redeemed(let redemption): redemption.purchase.transaction == number
        case .operator(.bought(let purchase)), .operator(.resolved(_, let purchase)): purchase.transaction == number
        default: false
        }
    }
}
