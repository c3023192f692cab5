import StoreCore

// Checks that the app has delivered each purchase once.
extension AppLife {
    /// Compares the number that an app reports as delivered with the number that was paid for.
    func compare(
        _ held: Int,
        of product: String,
        _ claim: Int,
        _ shown: ShownTransactions.Interval,
        _ moment: Moment
    ) -> String? {
        let purchases = user.purchasesInUse(sales(of: product, claim))
        var (paid, refunded, due) = (0, 0, 0)
        for purchase in purchases {
            paid += purchase.quantity
            if purchase.isRefunded { refunded += purchase.quantity } else if purchase.isDue { due += purchase.quantity }
        }
        if setup.isVerified, held <= paid {
            let trusted = purchases.reduce(0) { $0 + (untrusted.contains($1.id) ? 0 : $1.quantity) }
            if held > trusted { return "\(held) delivered, of which only \(trusted) had a signature to trust" }
        }
        if held > paid {
            return "\(held) delivered, and only \(paid) paid for\(user.second == nil ? "" : " on this device")"
        }
        let most = user.current.trackers[claim]
            .explain(held, of: purchases, shown, of: product, isLate: hasWaited)
        if let most, held > most {
            return "\(held) delivered, for only \(most) of the \(paid) paid for: some again, and others never"
        }
        guard moment == .end || moment == .whileRunning else { return nil }
        let mustReturn = moment == .end && setup.isTakenBack
        if mustReturn, held > paid - refunded { return "\(held) kept, although \(refunded) of \(paid) were refunded" }
        let when = moment == .end ? "" : " before another launch"
        if held < due { return "\(user.second == nil ? paid : due) paid for, and only \(held) delivered\(when)" }
        if !user.current.trackers[claim].canBe(purchases, isTakenBack: mustReturn) {
            return "\(held) delivered, and one that was paid for is not among them\(when)"
        }
        return nil
    }

    /// Compares the deliveries that an app reports for each transaction with what was paid for.
    func compare(_ deliveries: [String: Int], of product: String, _ claim: Int, _ moment: Moment) -> String? {
        var left = deliveries.filter { $0.value != 0 }
        for sale in user.purchasesInUse(sales(of: product, claim)) {
            let held = left.removeValue(forKey: sale.id) ?? 0
            let name = "transaction \(sale.id)"
            if held > sale.quantity { return "\(held) delivered for \(name), and only \(sale.quantity) paid for" }
            if setup.isVerified, held > 0, untrusted.contains(sale.id) {
                return "\(held) delivered for \(name), whose signature cannot be trusted"
            }
            guard moment == .end || moment == .whileRunning else { continue }
            if !sale.isRefunded {
                guard sale.isDue else { continue }
                let when = moment == .end ? "" : " before another launch"
                if held < sale.quantity {
                    return "\(sale.quantity) paid for in \(name), and only \(held) delivered\(when)"
                }
            } else if moment == .end, setup.isTakenBack, held > 0 {
                return "\(held) kept of \(name), although it was refunded"
            }
        }
        guard let other = left.min(by: { $0.key < $1.key }) else { return nil }
        let reason = user.hasHome(other.key) ? "which was finished on another device" : "in which nothing was paid for"
        return "\(other.value) delivered for transaction \(other.key), \(reason)"
    }

    /// The purchases of a product by the users of the devices.
    func sales(of product: String, _ claim: Int) -> [DeliveryTracker.Purchase] {
        purchaseLists[claim].update(of: product, from: transactions)
        return purchaseLists[claim].purchases
    }
}

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
