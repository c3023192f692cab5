import StoreCore

// Whether the app has delivered each purchase once.
extension AppLife {
    /// Compares how many an app says that it has delivered with what was paid for.
    func compare(
        _ held: Int,
        of product: String,
        _ claim: Int,
        _ shown: ShownTransactions.Interval,
        _ moment: Moment
    ) -> String? {
        let purchases = purchases(of: product, claim)
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
            return "\(held) delivered, and only \(paid) paid for\(second == nil ? "" : " on this device")"
        }
        let most = hand.trackers[claim]
            .explain(held, of: purchases, shown, of: product, isLate: hasWaited)
        if let most, held > most {
            return "\(held) delivered, for only \(most) of the \(paid) paid for: some again, and others never"
        }
        guard moment == .end || moment == .whileRunning else { return nil }
        let mustReturn = moment == .end && setup.isTakenBack
        if mustReturn, held > paid - refunded {
            return "\(held) kept, although \(refunded) of \(paid) were refunded"
        }
        let when = moment == .end ? "" : " before another launch"
        if held < due { return "\(second == nil ? paid : due) paid for, and only \(held) delivered\(when)" }
        if !hand.trackers[claim].canBe(purchases, isTakenBack: mustReturn) {
            return "\(held) delivered, and one that was paid for is not among them\(when)"
        }
        return nil
    }

    /// Compares what an app says that it has delivered for each transaction with what was paid for.
    func compare(_ deliveries: [String: Int], of product: String, _ claim: Int, _ moment: Moment) -> String? {
        var left = deliveries.filter { $0.value != 0 }
        for sale in purchases(of: product, claim) {
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
        let reason = homes?[other.key] == nil ? "in which nothing was paid for" : "which was finished on another device"
        return "\(other.value) delivered for transaction \(other.key), \(reason)"
    }

    /// The purchases of a product by the users of the device, as far as they can be delivered on it.
    private func purchases(of product: String, _ claim: Int) -> [DeliveryTracker.Purchase] {
        let all = sales(of: product, claim)
        guard let homes else { return all }
        return all.compactMap { purchase in
            let bits = homes[purchase.id]
            if (bits ?? hand.bit) & hand.bit == 0 { return nil }
            var purchase = purchase
            purchase.isDue = bits == hand.bit
            return purchase
        }
    }

    /// The purchases of a product by the users of the devices.
    func sales(of product: String, _ claim: Int) -> [DeliveryTracker.Purchase] {
        purchaseLists[claim].update(of: product, from: transactions)
        return purchaseLists[claim].purchases
    }
}
