/// A record of the purchases of a product that an app can have delivered, derived from the number that it reports.
///
/// A count alone does not show whether one purchase was delivered twice and another never. But an app can deliver only
/// purchases that it was shown, and has no reason to deliver a finished purchase late.
struct DeliveryTracker {
    /// A purchase of the product.
    struct Purchase {
        let id: String
        /// Its permanent index among all purchases of the product.
        let place: Int
        let quantity: Int
        var isFinished: Bool
        var isRefunded: Bool
        /// Whether the purchase has to be delivered on this device; otherwise it may be.
        var isDue = true
    }

    /// The maximum number of sets in ``explanations``.
    private static let limit = 256

    /// The possible sets of delivered purchases; nil if there are too many.
    private var explanations: [PurchaseSet]? = [PurchaseSet()]
    private var count = 0
    /// The purchases that the app was ever shown.
    private var known = PurchaseSet()
    private var unfinished = PurchaseSet()
    /// The purchases that can have been delivered, or taken back, since the last explained count.
    private var deliverable = PurchaseSet()
    private var returnable = PurchaseSet()

    /// The quantities of the purchases, by their indices.
    private var quantities: [Int] = []

    /// Finds the sets of delivered purchases that explain a new count.
    ///
    /// - Parameters:
    ///   - count: the number that the app reports as delivered.
    ///   - purchases: all purchases of the product.
    ///   - shown: what the app was shown since the last call.
    ///   - product: the product's identifier.
    ///   - isLate: whether the app may have waited for something until now, and may act on what it knew before.
    /// - Returns: the maximum number that it can have delivered; nil if that is unknown.
    mutating func explain(
        _ count: Int,
        of purchases: [Purchase],
        _ shown: ShownTransactions.Interval,
        of product: String,
        isLate: Bool
    ) -> Int? {
        if explanations == nil { return nil }
        let mayReturn = shown.isEverything || shown.revokedProducts.contains(product)
        // A late delivery adds to the count, and does not replace another one.
        let (isLateGain, isLateLoss) = (isLate && count > self.count, isLate && count < self.count)
        var fresh = PurchaseSet()
        for id in shown.transactions {
            // Searched from the end, since the purchase is usually one of the last.
            if let purchase = purchases.last(where: { $0.id == id }) { fresh.insert(purchase.place) }
        }
        for index in purchases.indices {
            let place = purchases[index].place
            while quantities.count <= place { quantities.append(0) }
            quantities[place] = purchases[index].quantity
            let isShown = shown.isEverything || fresh.contains(place)
            if isShown { known.insert(place) }
            if isShown || known.contains(place) && (isLateGain || unfinished.contains(place)) {
                deliverable.insert(place)
            }
            if purchases[index].isRefunded, isShown || mayReturn || isLateLoss { returnable.insert(place) }
            if purchases[index].isFinished { unfinished.remove(place) } else { unfinished.insert(place) }
        }
        if count == self.count, returnable.isEmpty {
            deliverable.removeAll()
            return count
        }
        // Usually the app delivers everything deliverable at once, which only this set explains.
        if explanations?.count == 1, returnable.isEmpty, let last = explanations?[0] {
            let all = last.union(deliverable)
            if sum(all) == count {
                explanations?[0] = all
                self.count = count
                deliverable.removeAll()
                return count
            }
        }
        guard let explanations else { return nil }
        let most = explanations.map { sum($0.union(deliverable)) }.max() ?? 0
        var next: Set<PurchaseSet> = []
        for explanation in explanations {
            let choices = deliverable.subtracting(explanation).union(returnable.intersection(explanation)).places
            guard choices.count <= 8, next.count <= Self.limit else {
                self.explanations = nil
                return nil
            }
            for choice in 0..<(1 << choices.count) {
                var candidate = explanation
                for (index, place) in choices.enumerated() where choice >> index & 1 == 1 { candidate.toggle(place) }
                if sum(candidate) == count { next.insert(candidate) }
            }
        }
        if next.count > Self.limit {
            self.explanations = nil
            return nil
        }
        // Without an explanation, the app has delivered only a part so far; a later count will have one.
        if next.isEmpty { return most }
        self.explanations = Array(next)
        self.count = count
        deliverable.removeAll()
        returnable.removeAll()
        return most
    }

    private func sum(_ purchases: PurchaseSet) -> Int {
        var sum = 0
        purchases.forEach { sum += quantities[$0] }
        return sum
    }

    /// Whether the count can include all purchases that should have been delivered.
    ///
    /// - Parameters:
    ///   - purchases: all purchases of the product.
    ///   - isTakenBack: whether the count must exclude refunded purchases.
    /// - Returns: whether there is such an explanation; true if there are too many.
    func canBe(_ purchases: [Purchase], isTakenBack: Bool) -> Bool {
        guard let explanations else { return true }
        var (due, refunded) = (PurchaseSet(), PurchaseSet())
        for purchase in purchases where purchase.isRefunded || purchase.isDue {
            if purchase.isRefunded { refunded.insert(purchase.place) } else { due.insert(purchase.place) }
        }
        return explanations.contains {
            $0.isSuperset(of: due) && (!isTakenBack || $0.intersection(refunded).isEmpty)
        }
    }
}

/// A set of purchases, by their indices among those of their product.
private struct PurchaseSet: Hashable {
    /// The bits of the first indices: most sets have no others, and need no array.
    private var first: UInt64 = 0
    /// The bits of further indices, without zeros at the end, so that equal sets have equal words.
    private var further: [UInt64] = []

    var isEmpty: Bool { first == 0 && further.isEmpty }

    /// The indices, in order.
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

    /// Inserts an index, or removes it if it is in the set.
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
