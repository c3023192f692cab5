/// A set of purchases, by their places among those of their product.
struct PurchaseSet: Hashable {
    /// A bit for each place, without zeros at the end, so that equal sets have equal words.
    private var words: [UInt64] = []

    var isEmpty: Bool { words.isEmpty }

    /// The places, in order.
    var places: [Int] {
        var places: [Int] = []
        forEach { places.append($0) }
        return places
    }

    func contains(_ place: Int) -> Bool { place >> 6 < words.count && words[place >> 6] >> UInt64(place & 63) & 1 == 1 }

    mutating func insert(_ place: Int) {
        while words.count <= place >> 6 { words.append(0) }
        words[place >> 6] |= 1 << UInt64(place & 63)
    }

    mutating func remove(_ place: Int) {
        guard place >> 6 < words.count else { return }
        words[place >> 6] &= ~(1 << UInt64(place & 63))
        trim()
    }

    /// Adds a place, or takes it away if it is in the set.
    mutating func toggle(_ place: Int) { if contains(place) { remove(place) } else { insert(place) } }

    mutating func removeAll() { words.removeAll(keepingCapacity: true) }

    func union(_ other: PurchaseSet) -> PurchaseSet {
        var result = words.count >= other.words.count ? self : other
        let less = words.count >= other.words.count ? other : self
        for index in less.words.indices { result.words[index] |= less.words[index] }
        return result
    }

    func intersection(_ other: PurchaseSet) -> PurchaseSet {
        var result = PurchaseSet()
        result.words = zip(words, other.words).map { $0 & $1 }
        result.trim()
        return result
    }

    func subtracting(_ other: PurchaseSet) -> PurchaseSet {
        var result = self
        for index in 0..<min(words.count, other.words.count) { result.words[index] &= ~other.words[index] }
        result.trim()
        return result
    }

    func isSuperset(of other: PurchaseSet) -> Bool { other.subtracting(self).isEmpty }

    func forEach(_ body: (Int) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(64 * index + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }

    private mutating func trim() { while words.last == 0 { words.removeLast() } }
}
