import Foundation
import StoreContract
import StoreCore
import Testing

/// What the protocol leaves to the store is not held against it.
@Suite struct LegalStoreTests {
    @Test(arguments: [
        Fault(RepeatsEverything.self), Fault(AlwaysBeginsAnew.self), Fault(AnswersTheSameTwice.self),
        Fault(HasPassingTrouble.self), Fault(AnswersLater.self), Fault(CutsSmall.self),
    ]) func `A store that does it another way keeps every promise`(store: Fault) async {
        let report = await StoreContract.check(store.subject)
        #expect(report.isKept, "\(report)")
    }

    @Test func `A store that decides later keeps every promise`() async {
        let report = await StoreContract.check(.sandbox(authorizer: .always(.later)) { store in DecidesLater(store) })
        #expect(report.isKept, "\(report)")
    }

    @Test func `A store that sends on when it was opened again keeps every promise`() async {
        let chains = SendsOn.Chains([:])
        let report = await StoreContract.check(
            .sandbox { store in
                let store = SendsOn(store)
                store.chains = chains
                return store
            }
        )
        #expect(report.isKept, "\(report)")
    }
}

/// Goes on sending when it was opened again: to whoever was connected to its former self, late, and on several threads.
///
/// A purchase is sent as purchasing after the new connections have its outcome.
private final class SendsOn: SpoiltStore, @unchecked Sendable {
    struct Chain {
        let store: ObjectIdentifier
        weak var receiver: (any StoreUpdateReceiver)?
        var cursor: UpdateCursor
    }

    /// The connections of all stores on the same data, by the clock that these share.
    typealias Chains = Locked<[ObjectIdentifier: [ObjectIdentifier: Chain]]>

    var chains = Chains([:])

    override func deliver(_ batch: UpdateBatch, to receiver: any StoreUpdateReceiver) {
        super.deliver(batch, to: receiver)
        guard batch.through.part == nil, let clock = store.clock as? ManualClock else { return }
        let bought = batch.updates.compactMap { update -> StoreUpdate? in
            guard case .transaction(let bought) = update, bought.state == .purchased else { return nil }
            return .transaction(bought.with(state: .purchasing))
        }
        let late = chains.withLock { chains -> [(Chain, UpdateBatch)] in
            let data = ObjectIdentifier(clock)
            chains[data, default: [:]][ObjectIdentifier(receiver)] = Chain(
                store: ObjectIdentifier(self),
                receiver: receiver,
                cursor: batch.through
            )
            guard !bought.isEmpty else { return [] }
            return (chains[data] ?? [:]).filter { $0.value.store != ObjectIdentifier(self) }.map { key, chain in
                let next = UpdateCursor(position: chain.cursor.position + 1)
                chains[data]?[key]?.cursor = next
                return (chain, UpdateBatch(after: chain.cursor, through: next, updates: bought))
            }
        }
        for (chain, batch) in late {
            let receiver = chain.receiver
            DispatchQueue.concurrentPerform(iterations: 8) { _ in receiver?.receive(batch) }
        }
    }
}

/// Sends each batch twice, and everything since the connection was made once more.
private final class RepeatsEverything: SpoiltStore, @unchecked Sendable {
    private let sent = Locked<[ObjectIdentifier: [UpdateBatch]]>([:])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        sent.withLock { $0[ObjectIdentifier(receiver)] = [] }
        super.connect(receiver, after: cursor)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        sent.withLock { sent in
            sent[ObjectIdentifier(receiver), default: []].append(batch)
            return [batch, batch] + sent[ObjectIdentifier(receiver), default: []].suffix(3)
        }
    }
}

/// Knows no cursor.
private final class AlwaysBeginsAnew: SpoiltStore, @unchecked Sendable {
    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        super.connect(receiver, after: nil)
    }
}

/// Calls each reply twice.
private final class AnswersTheSameTwice: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        store.submit(commands) { answer in
            reply(answer)
            reply(.tryLater(.storeKit(.unknown, "an answer that nobody waits for")))
        }
    }
}

/// Is away each second time; what it was given may have come through.
private final class HasPassingTrouble: SpoiltStore, @unchecked Sendable {
    private let count = Locked(0)

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number.isMultiple(of: 2) { return store.submit(commands, reply: reply) }
        if number.isMultiple(of: 3) { store.submit(commands) { _ in } }
        reply(.tryLater(.network(.notConnectedToInternet, "away")))
    }
}

/// Takes three seconds by its clock over each answer.
private final class AnswersLater: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        clock.schedule(at: clock.now + 3) { [store] in store.submit(commands, reply: reply) }
    }

    override func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        clock.schedule(at: clock.now + 3) { [store] in store.products(identifiers, reply: reply) }
    }
}

/// Sends snapshots in parts of one transaction each.
private final class CutsSmall: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        guard batch.after == nil, batch.updates.count > 1 else { return [batch] }
        return batch.updates.indices.map { index in
            let position = batch.through.position
            return UpdateBatch(
                after: index == 0 ? nil : UpdateCursor(position: position, part: index),
                through: UpdateCursor(position: position, part: index == batch.updates.count - 1 ? nil : index + 1),
                updates: [batch.updates[index]]
            )
        }
    }
}

/// Shows every order as purchasing first, and decides five seconds later by its clock.
private final class DecidesLater: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        guard transaction.state == .purchasing, transaction.payment.productIdentifier != "gift" else {
            return [transaction]
        }
        let answer: Authorization = transaction.payment.productIdentifier == "dragon" ? .decline() : .approve
        clock.schedule(at: clock.now + 5) { [store] in
            // Each connection sees the transaction; the first decides.
            try? store.decide(transaction.identifier, as: answer)
        }
        return [transaction]
    }
}
