import Foundation
import StoreCore

/// A driver that applies events at the store's boundary to the model.
///
/// If a store crashes during a change, it determines afterwards whether the change was kept.
final class ModelDriver: @unchecked Sendable {  // unchecked: a run uses one thread
    private struct Doubt {
        let before: Model
        let isKept: (SandboxStore) -> Bool
    }

    let asks: Bool
    var model: Model
    var isReachable = [true, true, true]
    /// A function that returns the terms of a transaction in the store.
    var terms: (String) -> Model.Terms = { _ in (nil, nil) }
    /// A function that returns a transaction of the store.
    var transaction: (String) -> SandboxTransaction? = { _ in nil }
    /// The numbers of payments, by their orders.
    private var tags: [OrderID: Int] = [:]
    let coverage: Coverage
    private let clock: ManualClock
    private let crashInjector: CrashInjector
    let eventLog: EventLog
    let disk: LedgerDisk
    private var doubt: Doubt?
    private var nextTag = 0
    /// The offers of payments, by their numbers.
    private var offers: [Int: Model.SignedOffer] = [:]
    private var lastNonce: UUID?
    /// The offer code entered into the redemption sheet, nil for none, and the reason that it is refused.
    var code: SimulatedOperation.Offer?
    private var codeRefusal: StoreFailure.Code?
    private var beforeAnswer: Model?
    /// Whether the store is being asked by value, and may call nobody.
    var isExchanging = false
    /// The approvals given while it was in doubt whether the last change was kept.
    private var approved: [Int] = []

    init(
        asks: Bool,
        clock: ManualClock,
        _ crashInjector: CrashInjector,
        _ eventLog: EventLog,
        _ disk: LedgerDisk,
        _ coverage: Coverage
    ) {
        self.disk = disk
        self.asks = asks
        self.clock = clock
        self.crashInjector = crashInjector
        self.eventLog = eventLog
        self.coverage = coverage
        model = Model(now: clock.now, accounts: 2, devices: [0, 0, 1])
    }

    /// Returns the number of a new payment.
    func newTag() -> Int {
        defer { nextTag += 1 }
        return nextTag
    }

    /// Numbers the store's promoted payments, so that they are known if an app takes them.
    func numbered(_ batch: UpdateBatch) -> UpdateBatch {
        var batch = batch
        for (index, update) in batch.updates.enumerated() {
            guard case .promoted(var payment, let product) = update else { continue }
            payment.applicationUsername = String(newTag())
            payment.simulatesAskToBuyInSandbox = payment.productIdentifier == SimulatedOperation.Product.gift.rawValue
            batch.updates[index] = .promoted(payment, product: product)
        }
        return batch
    }

    /// Signs an offer for a payment.
    func sign(_ offer: SimulatedOperation.Offer, _ flaw: SimulatedOperation.Signature, for tag: Int)
        -> Model.SignedOffer
    {
        let number = UInt8(truncatingIfNeeded: tag)
        let own = UUID(uuid: (1, UInt8(truncatingIfNeeded: tag >> 8), number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let signed = Model.SignedOffer(
            offer: offer,
            flaw: flaw,
            nonce: flaw == .used ? lastNonce ?? own : own,
            date: flaw == .late ? clock.now - 90_000 : clock.now
        )
        lastNonce = signed.nonce
        offers[tag] = signed
        return signed
    }

    // MARK: Changes

    /// Begins a change, which a store that crashes during it may or may not have kept.
    ///
    /// - Parameter isKept: returns whether it was kept; unless given, it was if anything was written.
    func begin(isKept: ((SandboxStore) -> Bool)? = nil) {
        model.advance(to: clock.now)
        guard crashInjector.isArmed else { return doubt = nil }
        let hasGrown = { [disk, count = disk.committed] (_: SandboxStore) in disk.survived > count }
        doubt = Doubt(before: model, isKept: isKept ?? hasGrown)
    }

    func end() { if !crashInjector.store.hasCrashed { doubt = nil } }

    func storeIsBack(_ store: SandboxStore) {
        let isLost = doubt.map { !$0.isKept(store) } ?? false
        if isLost, let doubt { model = doubt.before }
        model.forgetQuestions(
            undecided: Set(store.undecidedRequests.compactMap { PaymentTag.number(in: $0.applicationUsername) })
        )
        // A reopened store begins without it.
        model.purchaseFailure = nil
        if isLost {
            model.advance(to: clock.now)
            // Questions of the new store while it opened were pending before.
            for tag in approved { approve(tag) }
        }
        doubt = nil
        beforeAnswer = nil
        approved = []
    }

    // MARK: The store's boundary

    func arrived(_ commands: [StoreCommand], on device: Int) {
        guard isReachable[device] else { return }
        model.advance(to: clock.now)
        if crashInjector.isArmed {
            let before = model
            let count = disk.committed
            doubt = Doubt(before: before) { [disk] store in
                let name = Model.deviceNames[device]
                return RecoveryProbe.hasKept(commands, on: name, store, before, hasGrown: disk.survived > count)
            }
        } else {
            doubt = nil
        }
        for command in commands {
            switch command.action {
            case .purchase(let payment): order(payment, command.id, device)
            case .finish(let identifier):
                if model.entry(named: identifier) == nil, let transaction = transaction(identifier) {
                    let violation = model.identify(
                        transaction,
                        original: transaction.original.flatMap { self.transaction($0) },
                        tag: transaction.order.flatMap { tags[$0] },
                        terms: { terms(identifier) }
                    )
                    if let violation { eventLog.broke(violation) }
                }
                model.finish(command.id, identifier, on: device)
            case .restore: model.restore(command.id, on: device)
            }
        }
        model.share(at: model.now)
    }

    private func order(_ payment: StorePayment, _ command: OrderID, _ device: Int) {
        guard let tag = PaymentTag.number(in: payment.applicationUsername),
            let product = SimulatedOperation.Product(rawValue: payment.productIdentifier)
        else { return eventLog.broke("the store was sent a payment that nobody added") }
        tags[command] = tag
        let violation = model.order(
            command,
            tag: tag,
            product,
            quantity: payment.quantity,
            under: offers[tag],
            on: device,
            isAsked: asks,
            isStoreKit2: payment.isStoreKit2
        )
        if let violation { eventLog.broke(violation) }
    }

    func answered(_ answer: SubmissionReply, on device: Int) {
        doubt = nil
        if case .tryLater(let failure) = answer, isReachable[device] {
            eventLog.broke("the store put off what it could have taken: \(failure)")
        }
    }

    /// Records an app's answer whether a purchase goes on in a new country.
    func continues(_ identifier: String, _ shouldContinue: Bool, on device: Int) {
        guard isReachable[device] else { return }
        begin { store in !store.undecidedRequests.contains { $0.transaction == identifier } }
        model.answer(identifier, continues: shouldContinue, on: device)
    }

    /// Shows the code redemption sheet.
    func entersCode(on device: Int) {
        begin()
        codeRefusal = isReachable[device] ? model.enter(code, on: device) : nil
    }

    /// Records the store's answer to a code.
    func enteredCode(_ failure: StoreFailure?, on device: Int) {
        let isRight = isReachable[device] ? failure?.code == codeRefusal?.rawValue : failure != nil
        if !isRight {
            eventLog.broke(
                "the code \(code as Any) on device \(device) fails with \(failure as Any), not \(codeRefusal as Any)"
            )
        }
    }

    func told(_ updates: [StoreUpdate], on device: Int) {
        model.advance(to: clock.now)
        for update in updates {
            if case .promoted(let payment, _) = update, !model.isPromoted(payment.productIdentifier, on: device) {
                eventLog.broke(
                    "device \(device) is told of \(payment.productIdentifier), which nobody began to buy there"
                )
            }
            if case .promoted(let payment, _) = update {
                SimulatedOperation.Product(rawValue: payment.productIdentifier).map { eventLog.intends($0, on: device) }
            }
            if case .revoked(let products) = update {
                for product in products where !model.isRevoked(product, on: device) {
                    eventLog.broke("device \(device) is told that \(product) is revoked, which it is not there")
                }
                for product in products.compactMap({ SimulatedOperation.Product(rawValue: $0) }) {
                    eventLog.revokedUnobserved(product, on: device)
                }
            }
            guard case .transaction(let transaction) = update else { continue }
            let violation = model.hear(transaction, on: device) { terms(transaction.identifier) }
            if let violation { eventLog.broke(violation) }
            if model.entry(named: transaction.identifier)?.origin == .resolved {
                eventLog.resolved(transaction.identifier)
            }
        }
    }

    /// Asks the user.
    func asked(_ request: AuthorizationRequest) -> Authorization {
        if isExchanging { eventLog.broke("the store asks its user before it has answered a queue") }
        crashInjector.pass()
        // An answer to a crashed store is lost.
        if crashInjector.store.hasCrashed { return .later }
        model.advance(to: clock.now)
        guard let tag = PaymentTag.number(in: request.applicationUsername), let entry = model.entry(ofTag: tag) else {
            eventLog.broke("the user was asked about \(request.transaction), which nobody ordered")
            return .cancel
        }
        // A user who asks for approval first agrees.
        if entry.stage == .deferred { return .approve }
        if entry.stage.isDecided, let before = beforeAnswer {
            // The answer was lost with the store.
            model = before
            model.advance(to: clock.now)
        } else if entry.stage.isDecided {
            eventLog.broke("the user was asked about payment \(tag), which had been decided")
        }
        if entry.product == .shield { return .later }
        beforeAnswer = crashInjector.isArmed ? model : nil
        if doubt != nil { approved.append(tag) }
        approve(tag)
        return .approve
    }

    private func approve(_ tag: Int) {
        model.decide(tag: tag, .approve)
        model.share(at: model.now)
    }
}

/// A receiver that reads what a crashed store has kept, as a queue would.
private final class RecoveryProbe: StoreUpdateReceiver, @unchecked Sendable {  // unchecked: used on one thread
    let journal = JournalID(rawValue: .max)
    private var transactions: [StoreTransaction] = []

    func receive(_ batch: UpdateBatch) {
        for case .transaction(let transaction) in batch.updates { transactions.append(transaction) }
    }

    func connectionLost(_ failure: StoreFailure) {}

    static func hasKept(
        _ commands: [StoreCommand],
        on name: String,
        _ store: SandboxStore,
        _ before: Model,
        hasGrown: Bool
    ) -> Bool {
        guard let device = store.device(named: name) else { return false }
        let probe = RecoveryProbe()
        device.connect(probe, after: nil)
        device.disconnect(probe)
        for command in commands where !before.has(command.id) {
            switch command.action {
            case .purchase(let payment):
                return probe.transactions.contains {
                    $0.order != nil && $0.payment.applicationUsername == payment.applicationUsername
                }
            case .finish(let identifier):
                guard let entry = before.entry(named: identifier), entry.isLive else { continue }
                // A finish by another app on the device does not show there; but something was written.
                guard let place = Model.deviceNames.firstIndex(of: name), before.isVisible(entry, on: place) else {
                    return hasGrown
                }
                return !probe.transactions.contains { $0.identifier == identifier }
            case .restore:
                // A restore that brings nothing shows nowhere else.
                return hasGrown
            }
        }
        return hasGrown
    }
}
