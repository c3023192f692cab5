import Foundation
import StoreCore

// The members of a bundle, whose periods are the bundle's.
extension Model {
    /// The products that the bundle includes.
    private static let members: [Product] = [.films, .songs]

    /// Returns the bundle's running members that an account has.
    private func members(of account: Int, in bundle: SubscriptionModel) -> [(group: Group, member: SubscriptionModel)] {
        Self.members.compactMap { product in
            guard let group = product.group, let member = accounts[account].subscriptions[group], member.isBundled,
                member.bundle == bundle.first
            else { return nil }
            return (group, member)
        }
    }

    /// Begins the members' periods with the bundle's, whose entry is given.
    ///
    /// A member that the account has bought by itself is replaced if the bundle is bought, and stays if it renews.
    mutating func beginMembers(of account: Int, with entry: Int, at date: Date, isBought: Bool) {
        guard let bundle = accounts[account].subscriptions[.bundles] else { return }
        for product in Self.members {
            guard let group = product.group else { continue }
            let known = accounts[account].subscriptions[group]
            if let known, known.isRunning, known.bundle != bundle.first {
                guard isBought, known.bundle == nil else { continue }
                if known.end > date { payBack(known, at: date, account) }
            }
            let isGoingOn = known?.bundle == bundle.first
            let isRenewed = isGoingOn && known?.isRunning == true
            var new = Entry(
                origin: isRenewed ? .renewed : .elsewhere,
                tag: nil,
                device: nil,
                account: account,
                product: product,
                quantity: 1,
                stage: .purchased,
                date: date
            )
            (new.charge, new.bundle, new.end) = (0, entry, bundle.end)
            if isRenewed { new.original = known?.first } else if isGoingOn { new.beginning = known?.first }
            let index = add(new)
            var member =
                known.flatMap { isGoingOn ? $0 : nil }
                ?? SubscriptionModel(first: index, periodLength: periodLength, after: known)
            member.follow(bundle, as: product, index)
            entries[index].period = member.period
            accounts[account].subscriptions[group] = member
            accounts[account].history.append(index)
            if !isRenewed { putReceipt(for: account) }
        }
        followBundle(of: account, at: date)
    }

    /// Has the members follow a change of the bundle: its end, or a renewal that failed or was turned on.
    mutating func followBundle(of account: Int, at date: Date) {
        guard let bundle = accounts[account].subscriptions[.bundles] else { return }
        for (group, member) in members(of: account, in: bundle) {
            guard let ending = bundle.ending else {
                accounts[account].subscriptions[group]?.goOn(with: bundle)
                continue
            }
            guard ending == .autoRenewDisabled else {
                accounts[account].subscriptions[group]?.end(ending)
                continue
            }
            let (leaves, isPaid) = (member.willRenew, !accounts[account].billingFails)
            accounts[account].subscriptions[group]?.end(leaves && !isPaid ? .billingError : .unbundled)
            if leaves, isPaid { sellAlone(member.product, to: account, at: date) }
        }
    }

    /// Begins a former member's first period by itself.
    private mutating func sellAlone(_ product: Product, to account: Int, at date: Date) {
        let today = now
        now = date
        buy(product, 1, by: account)
        now = today
    }

    /// Turns auto-renewal of a member on, with which it leaves the bundle at the renewal, or off.
    mutating func setWillLeave(_ willLeave: Bool, _ group: Group, of account: Int) {
        guard let member = accounts[account].subscriptions[group], member.willRenew != willLeave else { return }
        accounts[account].subscriptions[group]?.setWillRenew(willLeave)
        guard willLeave, let bundle = accounts[account].subscriptions[.bundles], bundle.willRenew else { return }
        accounts[account].subscriptions[.bundles]?.setWillRenew(false)
        // A renewal that has failed is not tried again.
        if bundle.failedRenewal != nil { followBundle(of: account, at: now) }
    }

    /// Ends the members' periods with the bundle's, now.
    mutating func cutMembers(of account: Int) {
        guard let bundle = accounts[account].subscriptions[.bundles] else { return }
        for (group, member) in members(of: account, in: bundle) {
            for index in accounts[account].history
            where entries[index].group == group && entries[index].period == member.period {
                entries[index].end = now
            }
        }
    }

    /// Refunds what came with refunded entries of the bundle.
    mutating func refundMembers(of refunded: [Int], _ percentage: Int, _ account: Int) {
        guard refunded.contains(where: { entries[$0].product == .bundle }),
            let bundle = accounts[account].subscriptions[.bundles]
        else { return }
        for index in accounts[account].history where entries[index].bundle.map(refunded.contains) == true {
            payBack([index], percentage, account)
            let product = entries[index].product
            guard let group = product.group, let member = accounts[account].subscriptions[group], member.isBundled,
                member.period == entries[index].period
            else { continue }
            accounts[account].subscriptions[group]?.revoke()
            if member.isEntitled, !bundle.isRunning { revoke(product, account) }
        }
    }
}
