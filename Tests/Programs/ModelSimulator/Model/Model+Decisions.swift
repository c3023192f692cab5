import Foundation
import StoreCore

// Decisions on orders.
extension Model {
    /// A decision of the store's operator or its user on an order.
    enum Decision { case approve, cancel, decline }

    mutating func decide(tag: Int, _ decision: Decision) {
        guard let index = ofTag[tag], entries[index].isLive, !entries[index].stage.isDecided else { return }
        switch decision {
        case .approve:
            if let purchaseFailure { fail(index, purchaseFailure) } else { charge(index) }
        case .cancel: fail(index, .paymentCancelled)
        case .decline: fail(index, .unknown)
        }
    }

    /// Charges an order, unless its user has to do something first.
    mutating func charge(_ index: Int) {
        guard prices.isSold(entries[index].product) else { return fail(index, .storeProductNotAvailable) }
        guard let account = entries[index].account else { return sell(index) }
        // An offer may have ended since it was signed.
        if let offer = entries[index].offer, let code = refusal(of: offer, by: account) { return fail(index, code) }
        guard accounts[account].isInterrupted else { return sell(index) }
        fail(index, .unknown)
        entries[index].wasInterrupted = true
        issues.append(index)
        issues.sort()
    }

    /// The first of the interrupted purchases that can be resolved.
    var resolvableIssue: Int? { issues.firstIndex { refusal(ofInterrupted: $0) == nil } }

    /// Returns the reason that an interrupted purchase cannot be resolved and goes on waiting.
    func refusal(ofInterrupted index: Int) -> StoreFailure.Code? {
        let entry = entries[index]
        if let refusal = refusal(of: entry.product, entry.quantity) { return refusal }
        return entry.offer.flatMap { offer in entry.account.flatMap { refusal(of: offer, by: $0) } }
    }

    /// Resolves an interrupted purchase, as a transaction of its own.
    mutating func resolve(_ index: Int) {
        issues.removeAll { $0 == index }
        let failed = entries[index]
        var entry = Entry(
            origin: .resolved,
            tag: failed.tag,
            device: failed.device,
            account: failed.account,
            product: failed.product,
            quantity: failed.quantity,
            stage: .purchased,
            date: now
        )
        entry.offer = failed.offer
        entry.isStoreKit2 = failed.isStoreKit2
        sell(add(entry))
    }

    /// Buys a product elsewhere: nobody is asked, and nothing interrupts it.
    mutating func buy(_ product: Product, _ quantity: Int, by account: Int, isMonthly: Bool = false) {
        var entry = Entry(
            origin: .elsewhere,
            tag: nil,
            device: nil,
            account: account,
            product: product,
            quantity: quantity,
            stage: .purchased,
            date: now
        )
        entry.isMonthly = isMonthly
        sell(add(entry))
    }

    mutating func fail(_ index: Int, _ code: StoreFailure.Code) {
        entries[index].stage = .failed
        entries[index].failure = code
    }

    /// The payments that wait for a decision, in order.
    var undecided: [Int] { live.compactMap { entries[$0].stage.isDecided ? nil : entries[$0].tag } }

    mutating func sell(_ index: Int) {
        entries[index].stage = .purchased
        let entry = entries[index]
        guard let account = entry.account else { return }
        if let device = entry.device { devices[device].hasReceipt = true } else { putReceipt(for: account) }
        switch entry.product {
        case .sword, .gift, .shield, .season: entries[index].charge = prices[entry.product] * entry.quantity
        case .game:
            if accounts[account].ownsGame, entry.isStoreKit2 {
                return answer(index, by: ownHistory(of: account).first { entries[$0].product == .game })
            }
            entries[index].charge = accounts[account].ownsGame ? 0 : prices[.game]
            if !accounts[account].ownsGame { accounts[account].hasNewGame = true }
            accounts[account].ownsGame = true
            accounts[account].history.append(index)
        case .generic: entries[index].charge = entry.items.values.reduce(0) { $0 + $1.paid } / 10
        // A request begins its periods.
        case .pass: break
        case .basic, .gold, .silver, .journal, .films, .songs, .bundle:
            guard let group = entry.product.group else { return }
            let known = accounts[account].subscriptions[group]
            if let known, known.isBundled, known.isEntitled {
                // It stays in its bundle.
                return answer(index, by: ownHistory(of: account).last { isIn(entries[$0], known) })
            }
            // What was in a bundle, and is bought by itself, is another subscription.
            var subscription =
                known.flatMap { $0.bundle == nil ? $0 : nil }
                ?? SubscriptionModel(first: index, periodLength: periodLength, after: known)
            let charge = subscription.subscribe(
                to: entry.product,
                under: entry.offer,
                isMonthly: entry.isMonthly,
                as: index,
                at: now,
                for: prices,
                after: migrated(from: group, of: account)
            )
            accounts[account].subscriptions[group] = subscription
            guard let charge else {
                if group == .bundles { followBundle(of: account, at: now) }
                let newest = ownHistory(of: account).last { isIn(entries[$0], subscription) }
                return answer(index, by: newest)
            }
            if subscription.first != index { entries[index].beginning = subscription.first }
            entries[index].charge = charge
            entries[index].period = subscription.period
            entries[index].end = subscription.end
            entries[index].deal = subscription.deal
            accounts[account].history.append(index)
            if group == .bundles { beginMembers(of: account, with: index, at: now, isBought: true) }
        case .ghost: break
        }
        accounts[account].charged += entries[index].charge ?? 0
    }

    /// Answers a purchase by what its account has already: an app that ordered hears so, and nothing else comes of it.
    private mutating func answer(_ index: Int, by held: Int?) {
        entries[index].answer = held
        if entries[index].origin == .ordered { return }
        entries[index].isLive = false
        live.removeAll { $0 == index }
    }

    private func isIn(_ entry: Entry, _ subscription: SubscriptionModel) -> Bool {
        entry.group == subscription.product.group && entry.period == subscription.period
    }

    private func ownHistory(of account: Int) -> [Int] {
        accounts[account].history.filter { entries[$0].origin != .shared }
    }
}
