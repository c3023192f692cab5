import Foundation
import StoreContract
import StoreCore

/// A store, its devices with their apps, and the model beside them.
final class World: @unchecked Sendable {  // unchecked: a life is lived on one thread
    static let deviceNames = ["device", "tablet", "phone"]
    static let accountNames = ["account", "bob"]

    let clock = ManualTimekeeper()
    /// Queues take their pauses by a clock of their own: one that cannot reach its store tries again every few minutes, a
    /// hundred thousand times in the year that a subscription may take.
    let pauses = ManualTimekeeper()
    let lifeline = Lifeline(apps: 3)
    let diary = Diary(devices: 3)
    let disk = LedgerDisk()
    let journals = (0..<3).map { JournalDisk(device: $0) }
    let standIn: StandIn
    let witness: Witness
    private(set) var store: SandboxStore
    private(set) var gates: [StoreGate] = []
    private(set) var wires: [Interposer] = []
    private(set) var apps: [AppRun] = []
    var isObserved = [true, true, true]
    private var nextTag = 0
    private var checkedRecords = -1

    init(seed: UInt64, coverage: Coverage, standIn: @escaping StandIn) throws {
        self.standIn = standIn
        witness = Witness(asks: seed & 1 == 1, clock: clock, lifeline, diary, disk, coverage)
        store = try Self.open(disk, clock, lifeline, witness)
        let bob = try store.addAccount(Self.accountNames[1])
        _ = try store.addDevice(Self.deviceNames[1], signedInTo: store.account)
        _ = try store.addDevice(Self.deviceNames[2], signedInTo: bob)
        for (index, device) in store.devices.enumerated() {
            gates.append(StoreGate(index, standIn(device), clock, witness, lifeline))
            wires.append(Interposer(gates[index], seed: seed))
            apps.append(AppRun(index, wires[index], journals[index], pauses, lifeline, diary))
            apps[index].observe()
        }
    }

    private static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .consumable("gift", price: "1.99"),
        .consumable("shield", price: "2.99"),
        .nonConsumable("game", price: "4.99"),
        .nonRenewing("season", price: "7.99"),
        .autoRenewable(
            "basic",
            price: "4.99",
            period: .init(1, .month),
            group: "club",
            level: 2,
            introductoryOffer: .init(terms: .init(price: 0, paymentMode: .freeTrial, period: .init(1, .week)))
        ),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club", level: 1),
        .autoRenewable("silver", price: "8.99", period: .init(1, .month), group: "club", level: 1),
    ]

    private static let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))

    private static func open(
        _ disk: LedgerDisk,
        _ clock: ManualTimekeeper,
        _ lifeline: Lifeline,
        _ witness: Witness
    ) throws -> SandboxStore {
        let authoriser = Authoriser { [unowned witness] in witness.asked($0) }
        return try SandboxStore(
            products: products,
            timekeeper: MortalTimekeeper(clock, lifeline.store),
            ledger: KeptLedger(disk, lifeline.store, lifeline),
            locale: "en_US",
            authoriser: witness.asks ? authoriser : .approving,
            signer: signer
        )
    }

    var waitingForOwner: Int { witness.model.undecided.count }
}

// MARK: - The apps

extension World {
    func add(_ product: Step.Product, _ quantity: Int, on device: Int) {
        let payment = SKMutablePayment(productIdentifier: product.rawValue)
        payment.quantity = quantity
        payment.applicationUsername = String(nextTag)
        payment.simulatesAskToBuyInSandbox = product == .gift
        let tag = nextTag
        nextTag += 1
        apps[device].queue.add(payment)
        if !apps[device].pulse.isDead { diary.added.insert(tag) }
    }

    func finish(_ index: Int, on device: Int) {
        let decided = apps[device].queue.transactions.filter { Model.Stage($0.transactionState).isDecided }
        guard !decided.isEmpty else { return }
        let transaction = decided[index % decided.count]
        let name = TransactionName(transaction)
        apps[device].queue.finishTransaction(transaction)
        if !apps[device].pulse.isDead { diary.finished(name, on: device) }
    }

    func restore(on device: Int) {
        diary.restoreBegan(on: device, isObserved: isObserved[device])
        apps[device].queue.restoreCompletedTransactions()
    }

    func setObserved(_ isObserved: Bool, on device: Int) {
        guard self.isObserved[device] != isObserved else { return }
        self.isObserved[device] = isObserved
        if isObserved {
            apps[device].observe()
        } else {
            apps[device].queue.remove(apps[device])
            diary.observerLeft(device)
        }
    }
}

// MARK: - The owner and the users

extension World {
    func decide(_ index: Int, _ decision: Model.Decision) {
        let undecided = store.undecided
        guard !undecided.isEmpty else { return }
        let request = undecided[index % undecided.count]
        guard let tag = request.applicationUsername.flatMap({ Int($0) }) else { return }
        own {
            $0.decide(tag: tag, decision)
        } isKept: { store in
            !store.undecided.contains { $0.transaction == request.transaction }
        } act: { [self] in
            try store.decide(
                request.transaction,
                decision == .approve ? .approve : index % 2 == 0 ? .cancel : .decline()
            )
        }
    }

    func signIn(_ account: Int?, on device: Int) {
        guard witness.model.devices[device].account != account else { return }
        let name = Self.deviceNames[device]
        let accountName = account.map { Self.accountNames[$0] }
        own { model in
            model.devices[device].account = account
            if let account { model.devices[device].guests.insert(account) }
        } isKept: { store in
            store.device(named: name)?.account?.name == accountName
        } act: { [self] in
            guard let handle = store.device(named: name) else { return }
            if let accountName, let account = store.account(named: accountName) {
                try handle.signIn(to: account)
            } else {
                try handle.signOut()
            }
        }
    }

    func setAutoRenew(_ isOn: Bool, of account: Int) {
        let name = Self.accountNames[account]
        guard store.account(named: name)?.subscription(inGroup: "club")?.isRunning == true else { return }
        own {
            $0.accounts[account].club?.setWillRenew(isOn)
        } isKept: { store in
            store.account(named: name)?.subscription(inGroup: "club")?.willRenew == isOn
        } act: { [self] in
            try store.account(named: name)?.setAutoRenew(isOn, inGroup: "club")
        }
    }

    func setReachable(_ isReachable: Bool, _ device: Int) {
        witness.isReachable[device] = isReachable
        store.device(named: Self.deviceNames[device])?.isReachable = isReachable
    }

    /// The owner changes something; whether a store that dies of it has kept it shows later.
    private func own(
        _ apply: (inout Model) -> Void,
        isKept: @escaping (SandboxStore) -> Bool,
        act: () throws -> Void
    ) {
        witness.begin(isKept: isKept)
        apply(&witness.model)
        do { try act() } catch {
            if !lifeline.store.isDead { diary.broke("the store refuses its owner: \(error)") }
        }
        witness.end()
    }
}

// MARK: - Deaths

extension World {
    /// Whoever died in the last step is launched again, on what has been kept.
    func raiseTheDead() throws {
        guard lifeline.hasKilled else { return }
        lifeline.disarm()
        lifeline.bury()
        for app in apps.indices where apps[app].pulse.isDead {
            witness.coverage.noteDeath(ofAppOn: app, witness.model, diary.passages)
        }
        if lifeline.store.isDead { witness.coverage.noteDeathOfStore(witness.model, diary.passages) }
        for app in apps where app.pulse.isDead { app.gate.close() }
        if lifeline.store.isDead { try relaunchStore() }
        for device in apps.indices where apps[device].pulse.isDead { launch(device) }
        clock.advance(by: 0)
    }

    func relaunch(_ device: Int) {
        apps[device].pulse.isDead = true
        apps[device].gate.close()
        launch(device)
    }

    private func launch(_ device: Int) {
        diary.launched(device)
        apps[device] = AppRun(device, wires[device], journals[device], pauses, lifeline, diary)
        if isObserved[device] { apps[device].observe() }
    }

    private func relaunchStore() throws {
        disk.crash()
        lifeline.store = Pulse()
        store = try Self.open(disk, clock, lifeline, witness)
        witness.storeIsBack(store)
        for (index, device) in store.devices.enumerated() {
            device.isReachable = witness.isReachable[index]
            gates[index].replace(by: standIn(device))
        }
    }
}

// MARK: - Checks

extension World {
    /// What is wrong, nil for nothing.
    ///
    /// What the apps should see is looked at where nothing is on its way.
    func check() -> String? {
        if let violation = diary.violation { return violation }
        witness.model.advance(to: clock.now)
        let lines = settle()
        if let violation = diary.violation ?? checkOwner() { return violation }
        guard lines.count == waitingForOwner else { return nil }
        for device in apps.indices where isObserved[device] && witness.isReachable[device] {
            if let violation = checkQueue(of: device) { return violation }
        }
        return nil
    }

    /// What waits for an outside act.
    func settle() -> [String] { pauses.activity.settle() + store.settle() }

    private func checkOwner() -> String? {
        guard disk.records.count != checkedRecords else { return nil }
        checkedRecords = disk.records.count
        let undecided = store.undecided.compactMap { $0.applicationUsername.flatMap { Int($0) } }
        if undecided != witness.model.undecided {
            return "payments \(undecided) wait for a decision, and should be \(witness.model.undecided)"
        }
        for (index, account) in store.accounts.enumerated() {
            let expected = witness.model.accounts[index]
            let cents = Decimal(sign: .plus, exponent: -2, significand: Decimal(expected.charged))
            guard let charged = try? account.totalCharged, charged == cents else {
                let charged = (try? account.totalCharged).map { "\($0)" } ?? "an unknown sum"
                return "account \(index) was charged \(charged), and should have been \(cents)"
            }
            var entitlements: Set<SandboxEntitlement> = []
            for entitlement in account.entitlements { entitlements.insert(entitlement) }
            var count = 0
            if expected.ownsGame { count += 1 }
            if expected.club?.isRunning == true { count += 1 }
            let isRight = entitlements.allSatisfy { entitlement in
                if let club = expected.club, club.isRunning, let date = entitlement.expirationDate {
                    return entitlement.productIdentifier == club.product.rawValue && date == club.end
                }
                return expected.ownsGame && entitlement.productIdentifier == "game"
                    && entitlement.expirationDate == nil
            }
            if entitlements.count != count || !isRight {
                return "account \(index) may use \(entitlements), and should use \(expected)"
            }
        }
        return nil
    }

    private func checkQueue(of device: Int) -> String? {
        let model = witness.model
        var expected = 0
        for index in model.live where model.isVisible(model.entries[index], on: device) { expected += 1 }
        let transactions = apps[device].queue.transactions
        var listed = 0
        for transaction in transactions {
            let name = TransactionName(transaction)
            let entry: Model.Entry? =
                switch name {
                case .payment(let tag): model.entry(ofTag: tag)
                case .transaction(let identifier): model.entry(named: identifier)
                }
            if let entry, isSomebodyElses(entry, transaction, on: device) { continue }
            listed += 1
            guard let entry, model.isVisible(entry, on: device) else {
                return "the queue of device \(device) lists \(name), which should not be there"
            }
            if entry.stage != Model.Stage(transaction.transactionState) {
                return "the queue of device \(device) lists \(name) as \(Model.Stage(transaction.transactionState)), "
                    + "and it should be \(entry.stage)"
            }
        }
        guard listed == expected else {
            return "the queue of device \(device) lists \(listed) transactions, and should \(expected)"
        }
        if diary.owedRestores[device] > 0 {
            return "nothing is on its way, and a restore on device \(device) has not ended"
        }
        return nil
    }

    /// A payment whose answer was lost, and whose user had signed out when it was sent again, stays purchasing until they sign
    /// in: nobody may be told what became of it meanwhile.
    private func isSomebodyElses(_ entry: Model.Entry, _ transaction: SKPaymentTransaction, on device: Int) -> Bool {
        entry.isLive && entry.device == device && entry.account != nil
            && entry.account != witness.model.devices[device].account && transaction.transactionState == .purchasing
    }
}
