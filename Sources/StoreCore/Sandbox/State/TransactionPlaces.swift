/// A sparse index of the ledger positions at which transactions begin.
///
/// Every transaction begins at most ``distance`` records after an entry. The index takes half a byte for each record,
/// and locates a transaction that the state no longer holds without reading the whole ledger.
struct TransactionPlaces: Sendable {
    private struct Place: Sendable {
        let number: TransactionNumber
        /// The number of records before the one that began the transaction.
        let position: Int
    }

    /// The maximum number of records to read after a place.
    static var distance: Int { 32 }

    private var places = SegmentedArray<Place>()
    private var lastPosition = -Self.distance
    /// The first transaction that can be located.
    private var first: TransactionNumber = 0

    /// Adds a transaction that began with the record after a position.
    @inline(__always)
    mutating func add(_ number: TransactionNumber, at position: Int) {
        if position - lastPosition >= Self.distance { append(number, position) }
    }

    @inline(never)
    private mutating func append(_ number: TransactionNumber, _ position: Int) {
        if places.count > 0, places[places.count - 1].number >= number { forget(before: number) }
        places.append(Place(number: number, position: position))
        lastPosition = position
    }

    /// Drops all transactions before a number, since their records alone no longer show their state.
    mutating func forget(before number: TransactionNumber) {
        places = SegmentedArray()
        lastPosition = -Self.distance
        first = number
    }

    /// Returns a position after which the transaction begins within ``distance`` records; nil if there is none.
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
    /// Returns whether the event begins the given transaction and no other.
    ///
    /// Also false for kinds of events that are rare or may begin several transactions. Their transactions are found by
    /// reading the whole ledger.
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
