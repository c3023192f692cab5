/// A set of purchases, by their places among those of their product.
struct PurchaseSet: Hashable {
    /// A bit for each of the first places: most sets have no others, and need no array.
    private var first: UInt64 = 0
    /// A bit for each further place, without zeros at the end, so that equal sets have equal words.
    private var further: [UInt64] = []

    var isEmpty: Bool { first == 0 && further.isEmpty }

    /// The places, in order.
    var places: [Int] {
        var places: [Int] = []
        forEach { places.append($0) }
        return places
    }

    func contains(_ place: Int) -> Bool {
        place < 64
            ? first >> UInt64(place) & 1 == 1
            : place >> 6 <= further.count && further[place >> 6 - 1] >> UInt64(place & 63) & 1 == 1
    }

    mutating func insert(_ place: Int) {
        if place < 64 { return first |= 1 << UInt64(place) }
        while further.count < place >> 6 { further.append(0) }
        further[place >> 6 - 1] |= 1 << UInt64(place & 63)
    }

    mutating func remove(_ place: Int) {
        if place < 64 { return first &= ~(1 << UInt64(place)) }
        guard place >> 6 <= further.count else { return }
        further[place >> 6 - 1] &= ~(1 << UInt64(place & 63))
        trim()
    }

    /// Adds a place, or takes it away if it is in the set.
    mutating func toggle(_ place: Int) { if contains(place) { remove(place) } else { insert(place) } }

    mutating func removeAll() {
        first = 0
        further.removeAll(keepingCapacity: true)
    }

    func union(_ other: PurchaseSet) -> PurchaseSet {
        var result = further.count >= other.further.count ? self : other
        let less = further.count >= other.further.count ? other : self
        result.first |= less.first
        for index in less.further.indices { result.further[index] |= less.further[index] }
        return result
    }

    func intersection(_ other: PurchaseSet) -> PurchaseSet {
        var result = PurchaseSet()
        result.first = first & other.first
        if further.isEmpty || other.further.isEmpty { return result }
        result.further = zip(further, other.further).map { $0 & $1 }
        result.trim()
        return result
    }

    func subtracting(_ other: PurchaseSet) -> PurchaseSet {
        var result = self
        result.first &= ~other.first
        for index in 0..<min(further.count, other.further.count) { result.further[index] &= ~other.further[index] }
        result.trim()
        return result
    }

    func isSuperset(of other: PurchaseSet) -> Bool { other.subtracting(self).isEmpty }

    func forEach(_ body: (Int) -> Void) {
        Self.forEach(in: first, from: 0, body)
        for (index, word) in further.enumerated() { Self.forEach(in: word, from: 64 * (index + 1), body) }
    }

    private static func forEach(in word: UInt64, from place: Int, _ body: (Int) -> Void) {
        var rest = word
        while rest != 0 {
            body(place + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    private mutating func trim() { while further.last == 0 { further.removeLast() } }
}
