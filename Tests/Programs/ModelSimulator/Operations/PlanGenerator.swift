import StoreCore

/// A generator of operations on subscriptions outside of the club.
///
/// In some runs they replace operations that were drawn for all, with a stream of their own: the other runs stay what they
/// were.
struct PlanGenerator {
    private typealias Group = SimulatedOperation.Group

    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed, stream: 4) }

    /// Returns as many operations, of which some are others in one of three runs.
    mutating func replacingSome(of operations: [SimulatedOperation]) -> [SimulatedOperation] {
        guard below(3) == 0 else { return operations }
        return operations.map { below(4) == 0 ? operation() : $0 }
    }

    private mutating func operation() -> SimulatedOperation {
        let account = below(2)
        switch below(32) {
        case 0..<3: return .commit(account: account)
        case 3: return .buy(account: account, product: [.films, .songs][below(2)], quantity: 1)
        case 4: return .buy(account: account, product: .journal, quantity: 1)
        case 5: return .add(device: below(3), product: .journal, quantity: 1)
        case 6..<9: return .advance(days: [31, 62, 100, 365, 370][below(5)])
        case 9, 10, 11: return .buy(account: account, product: .bundle, quantity: 1)
        case 12: return .add(device: below(3), product: .bundle, quantity: 1)
        case 13: return .failBilling(account: account, on: below(3) > 0)
        case 22, 23:
            let repetitions = SimulatedOperation.Repetition.allCases
            return .charge(account: account, cents: cents(), repeats: repetitions[below(repetitions.count)])
        case 24..<27: return .request(account: account, request(), of: .requests)
        case 27..<30: return genericOperation(account)
        case 30, 31:
            let groups = Group.generic
            return .request(account: account, description(), of: groups[below(groups.count)])
        default:
            let changes = SimulatedOperation.Change.allCases
            let groups: [Group] = [.press, .press, .films, .songs, .bundles, .bundles, .requests]
            return .change(account: account, group: groups[below(groups.count)], to: changes[below(changes.count)])
        }
    }

    private mutating func request() -> SimulatedOperation.Request {
        switch below(11) {
        case 0..<3: .create(cents: cents(), offer: offer())
        case 3: .add(cents: cents(), offer: offer())
        case 4: .remove
        case 5, 6: .reactivate
        case 7: .cancel
        case 8: .changePrice(cents: cents())
        case 9: .rename(isImmediate: below(2) == 0)
        default: .revoke
        }
    }

    private mutating func description() -> SimulatedOperation.Request {
        let descriptions = SimulatedOperation.Description.allCases
        let description = descriptions[below(descriptions.count)]
        return .describe(description, isImmediate: below(2) == 0, byServer: below(2) == 0)
    }

    private mutating func offer() -> SimulatedOperation.ItemOffer? {
        switch below(5) {
        case 0..<2: nil
        case 2: .free
        default: .half(periods: 1 + below(3))
        }
    }

    /// Draws an operation on generic subscriptions beside the first.
    private mutating func genericOperation(_ account: Int) -> SimulatedOperation {
        switch below(8) {
        case 0..<2: return .request(account: account, request(), of: .extras)
        case 2..<4: return .request(account: account, request(), of: .migrated)
        case 4, 5:
            let groups: [Group] = [.club, .club, .press, .films, .songs]
            return .request(account: account, .migrate, of: groups[below(groups.count)])
        default:
            let (items, extents) = (SimulatedOperation.Item.allCases, SimulatedOperation.Extent.allCases)
            return .refundItem(
                index: below(8),
                item: items[below(3) / 2],
                extents[below(extents.count)],
                revokes: below(2) == 0
            )
        }
    }

    private mutating func cents() -> Int { [99, 250, 499, 1_299][below(4)] }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
}
