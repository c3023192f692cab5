import Foundation

/// A change of a subscription that falls due.
package struct DueChange: Hashable, Sendable {
    /// The kind of a change.
    package enum Kind: String, CaseIterable, Sendable {
        case renews
        case ends
        case paymentFails = "payment fails"
        case graceEnds = "grace ends"
    }

    /// The number of the subscription.
    package let subscription: Int
    package let date: Date
    package let kind: Kind
    package let account: String
    /// The product of the period that begins, or that ended.
    package let product: String
    /// The first transaction of the subscription.
    package let transaction: String
    /// The price of the period that begins; nil for every other change.
    package var charge: Decimal?
    /// The reason for the end; nil for every other change.
    package var end: SubscriptionEndReason?
}

/// The changes of subscriptions that fall due until a moment.
package struct StoreForecast: Hashable, Sendable {
    /// The number of changes of each kind, without kinds of which there are none.
    package fileprivate(set) var counts: [DueChange.Kind: Int] = [:]
    /// Whether there may be more changes, since only so many are looked ahead.
    package fileprivate(set) var hasMore = false
}

// What will happen, found with a copy of the state; the store itself does not change.
extension SandboxStore {
    /// Returns the next changes of the running subscriptions, the earliest first, each subscription's next only.
    ///
    /// - Parameter limit: the maximum number of changes.
    /// - Returns: the changes, and the number of running subscriptions.
    package func dueChanges(limit: Int) -> (changes: [DueChange], total: Int) {
        let (state, rules) = forecastState
        var total = 0
        var earliest = FirstFew<(date: Date, index: SubscriptionIndex)>(limit) {
            ($0.date, $0.index) < ($1.date, $1.index)
        }
        for index in state.subscriptions.indices where state.subscriptions.isDueByItself(index) {
            total += 1
            earliest.insert((state.subscriptions.nextMoment(of: index), index))
        }
        return (earliest.elements.compactMap { state.nextChange(of: $0.index, rules) }, total)
    }

    /// Returns the next changes of some subscriptions, by their numbers, without those that have ended.
    package func nextChanges(of numbers: [Int]) -> [Int: DueChange] {
        let (state, rules) = forecastState
        let changes = numbers.map(SubscriptionIndex.init(rawValue:))
            .filter { state.subscriptions.indices.contains($0) && state.subscriptions.isDueByItself($0) }
            .compactMap { state.nextChange(of: $0, rules) }
        return Dictionary(changes.map { ($0.subscription, $0) }) { $1 }
    }

    /// The date of the next renewal of any subscription, as far as its payment does not fail; nil if there is none.
    package var nextRenewal: Date? {
        let (state, rules) = forecastState
        var next: Date?
        for index in state.subscriptions.indices where state.subscriptions.isDueByItself(index) {
            let moment = state.subscriptions.nextMoment(of: index)
            guard next.map({ moment < $0 }) ?? true, state.nextChange(of: index, rules)?.kind == .renews else {
                continue
            }
            next = moment
        }
        return next
    }

    /// Returns what falls due until a moment, if nothing else happens.
    ///
    /// - Parameters:
    ///   - moment: the moment.
    ///   - limit: the maximum number of changes that are looked ahead.
    /// - Returns: the numbers of changes.
    package func forecast(until moment: Date, limit: Int = 10_000) -> StoreForecast {
        let (start, rules) = forecastState
        var state = start
        var forecast = StoreForecast()
        for _ in 0..<limit {
            guard let due = state.subscriptions.due(by: moment) else { return forecast }
            var records: [LedgerRecord] = []
            state.renew(due.subscription, rules.renewalRate, renewsUnpaid: rules.renewsUnpaid, &records)
            for record in records {
                if let change = state.change(record) { forecast.counts[change.kind, default: 0] += 1 }
                state.apply(record)
            }
        }
        forecast.hasMore = state.subscriptions.due(by: moment) != nil
        return forecast
    }

    private var forecastState: (SandboxState, SandboxRules) {
        driver.look { driverState, _ in (driverState.state, driverState.settings.rules) }
    }
}

extension SandboxState {
    fileprivate func nextChange(of index: SubscriptionIndex, _ rules: SandboxRules) -> DueChange? {
        var records: [LedgerRecord] = []
        renew(index, rules.renewalRate, renewsUnpaid: false, &records)
        return records.lazy.compactMap(change).last
    }

    /// Returns the change that a record makes; nil if it changes no subscription.
    fileprivate func change(_ record: LedgerRecord) -> DueChange? {
        switch record.event {
        case .renewed(let index, _, let term, let charge):
            var change = change(.renews, of: index, term.product, record.date)
            change.charge = charge
            return change
        case .ended(let index, let end):
            var change = change(.ends, of: index, subscriptions[index].term.product, record.date)
            change.end = end
            return change
        case .billing(.renewalFailed(let index, _)):
            return change(.paymentFails, of: index, subscriptions[index].term.product, record.date)
        case .billing(.graceEnded(let index)):
            return change(.graceEnds, of: index, subscriptions[index].term.product, record.date)
        default: return nil
        }
    }

    private func change(
        _ kind: DueChange.Kind,
        of index: SubscriptionIndex,
        _ product: ProductIndex,
        _ date: Date
    ) -> DueChange {
        DueChange(
            subscription: index.rawValue,
            date: date,
            kind: kind,
            account: accounts[subscriptions[index].account].name,
            product: catalog[product].identifier,
            transaction: subscriptions[index].term.original.identifier
        )
    }
}
