import Foundation
import StoreCore

// Arrivals at the store.
extension Model {
    /// Accepts a payment that reaches the store.
    ///
    /// - Returns: the violation, if any.
    mutating func order(
        _ command: OrderID,
        tag: Int,
        _ product: Product,
        quantity: Int,
        under offer: SignedOffer?,
        on device: Int,
        isAsked: Bool,
        isStoreKit2: Bool
    ) -> String? {
        guard take(command) else { return nil }
        guard ofTag[tag] == nil else { return "payment \(tag) was ordered twice" }
        let account = devices[device].account
        let refusal = purchaseFailure ?? refusal(of: product, quantity, under: offer, by: account)
        if let offer { nonces.insert(offer.nonce) }
        // A user who is asked first, and takes time over a shield, has not come to Ask to Buy yet.
        let isPending = isAsked && product == .shield
        let isDeferred = !isPending && (product == .gift || account.map { accounts[$0].asksToBuy } == true)
        var entry = Entry(
            origin: .ordered,
            tag: tag,
            device: device,
            account: account,
            product: product,
            quantity: quantity,
            stage: refusal != nil ? .failed : isDeferred ? .deferred : .purchasing,
            failure: refusal,
            date: now
        )
        entry.offer = offer?.offer
        entry.isStoreKit2 = isStoreKit2
        if refusal == nil, isStoreKit2, let held = unfinishedConsumable(product, of: account, on: device) {
            entry.stage = .purchased
            entry.answer = held
            devices[device].hasReceipt = true
            ofTag[tag] = add(entry)
            return nil
        }
        entry.neededApproval = entry.stage == .deferred
        ofTag[tag] = add(entry)
        if refusal == nil, !isDeferred, !isAsked { charge(entries.count - 1) }
        return nil
    }

    /// Returns the oldest consumable of a product that an account has bought, was not refunded and has not finished on a
    /// device; nil for none.
    private func unfinishedConsumable(_ product: Product, of account: Int?, on device: Int) -> Int? {
        guard [.sword, .gift, .shield].contains(product) else { return nil }
        return live.first { index in
            let entry = entries[index]
            return entry.product == product && entry.account == account && entry.stage == .purchased
                && entry.answer == nil && !entry.isRefunded && isVisible(entry, on: device)
        }
    }

    private func refusal(
        of product: Product,
        _ quantity: Int,
        under offer: SignedOffer?,
        by account: Int?
    ) -> StoreFailure.Code? {
        guard let account else { return .clientInvalid }
        return refusal(of: product, quantity) ?? offer.flatMap { refusal(of: $0, by: account) }
    }

    /// Returns the reason that a product is not sold to anybody; nil if it is sold.
    func refusal(of product: Product, _ quantity: Int) -> StoreFailure.Code? {
        guard prices.isSold(product) else { return .storeProductNotAvailable }
        let isRestorable = product == .game || product.group != nil
        let isSold = product != .ghost && (1...10).contains(quantity) && !(isRestorable && quantity > 1)
        return isSold ? nil : .paymentInvalid
    }

    /// Accepts a finish that reaches the store.
    mutating func finish(_ command: OrderID, _ identifier: String, on device: Int) {
        guard take(command), let index = ofIdentifier[identifier] else { return }
        let entry = entries[index]
        guard entry.isLive, entry.stage.isDecided else { return }
        let isHere =
            entry.device == device
            || entry.device == nil && entry.account.map { devices[device].guests.contains($0) } == true
        guard isHere else { return }
        entries[index].isLive = false
        // A finished consumable leaves nothing.
        if entry.stage == .purchased, ![.sword, .gift, .shield, .generic].contains(entry.product) {
            devices[device].hasReceipt = true
        }
        live.removeAll { $0 == index }
    }

    /// Accepts a restore that reaches the store.
    mutating func restore(_ command: OrderID, on device: Int) {
        guard take(command), let account = devices[device].account else { return }
        devices[device].hasReceipt = true
        for index in accounts[account].history where !entries[index].isLive {
            let past = entries[index]
            var entry = Entry(
                origin: .restored,
                tag: past.tag,
                device: device,
                account: account,
                product: past.product,
                quantity: past.quantity,
                stage: .restored,
                date: now
            )
            entry.original = index
            _ = add(entry)
        }
    }

    mutating func add(_ entry: Entry) -> Int {
        entries.append(entry)
        if entry.isLive { live.append(entries.count - 1) }
        return entries.count - 1
    }
}
