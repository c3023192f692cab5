import StoreCore

/// What the apps of a life did and heard, and the first rule that was broken.
final class EventLog: @unchecked Sendable {  // unchecked: a life is lived on one thread
    private(set) var violation: String?
    let passages = PaymentTracker()
    /// What the apps of each device ask of their store.
    let inquiries: [Inquiries]
    /// Payments that were shown as accepted.
    private(set) var accepted: Set<Int> = []
    /// Payments that were added in a step that the app survived.
    var added: Set<Int> = []
    /// What each payment turned out to be.
    private var outcomes: [Int: Model.Stage] = [:]
    /// What was finished on each device by an app that heard that it was removed, or survived the step.
    private var finished: [Set<TransactionName>]
    /// What the running launches have finished, and not heard removed.
    private var finishing: [Set<TransactionName>]
    /// Restores that the running launch asked for and did not hear end.
    private var restores: [Int]
    /// Of these, the ones whose end its observer has been there to hear.
    private(set) var owedRestores: [Int]

    /// Whether the apps take purchases that were begun on the store's page.
    var takesPromotions: [Bool]
    /// Whether the apps go on with purchases in a new country.
    var continues = true
    /// How often they were offered each product.
    private(set) var offers: [[Step.Product: Int]]
    private var offered: Set<Int> = []
    /// How often each app heard that access to a product has ended, by whom that may have been for.
    private(set) var revocations: [[Int: [Step.Product: Int]]]

    /// Failures of downloads that were planned on each device; each comes once at the most.
    private(set) var plannedFailures: [Int]
    /// Where wires were spoilt, stores out of reach or somebody died, so that a download may have failed of it.
    private var troubled: Set<Int> = []
    /// The devices whose wires have been spoilt.
    private var spoilt: Set<Int> = []

    init(devices: Int) {
        inquiries = (0..<devices).map(Inquiries.init)
        plannedFailures = Array(repeating: 0, count: devices)
        takesPromotions = Array(repeating: true, count: devices)
        offers = Array(repeating: [:], count: devices)
        revocations = Array(repeating: [:], count: devices)
        finished = Array(repeating: [], count: devices)
        finishing = finished
        restores = Array(repeating: 0, count: devices)
        owedRestores = restores
        for inquiries in inquiries { inquiries.broke = { [unowned self] in broke($0) } }
    }

    /// Transactions that no queue ordered although they carry the number of a payment that failed.
    private var resolved: Set<String> = []

    func broke(_ rule: String) { if violation == nil { violation = rule } }

    /// What a step has done to downloads.
    func noteTrouble(_ step: Step) {
        switch step {
        case .failDownload(let device): plannedFailures[device % plannedFailures.count] += 1
        case .spoil(let device, _, _):
            troubled.insert(device % plannedFailures.count)
            spoilt.insert(device % plannedFailures.count)
        case .reachable(let device, false): troubled.insert(device % plannedFailures.count)
        case .die: troubled.formUnion(plannedFailures.indices)
        default: break
        }
    }

    /// From now on only what was planned may fail.
    func troubleIsOver() { troubled = [] }

    func excusesFailure(on device: Int) -> Bool { plannedFailures[device] > 0 || troubled.contains(device) }

    func resolved(_ identifier: String) { resolved.insert(identifier) }

    /// What a transaction is called.
    func name(_ transaction: SKPaymentTransaction) -> TransactionName {
        let payment = transaction.original == nil ? transaction.payment.applicationUsername : nil
        let identifier = transaction.transactionIdentifier ?? ""
        guard let tag = payment.flatMap({ Int($0) }), !resolved.contains(identifier) else {
            return .transaction(identifier)
        }
        return .payment(tag)
    }

    func shown(_ name: TransactionName, _ stage: Model.Stage, on device: Int) {
        if finished[device].contains(name) { broke("\(name) came back on device \(device) after it was finished") }
        guard case .payment(let tag) = name else { return }
        accepted.insert(tag)
        passages.shown(tag, isDecided: stage.isDecided)
        guard stage.isDecided else { return }
        let outcome = outcomes[tag] ?? stage
        if outcome != stage { broke("payment \(tag) turned out both \(outcome) and \(stage)") }
        outcomes[tag] = stage
    }

    /// A transaction has left its queue.
    func removed(_ name: TransactionName, _ stage: Model.Stage, on device: Int) {
        if finishing[device].remove(name) != nil { finished[device].insert(name) }
        if case .payment(let tag) = name, !stage.isDecided { passages.givenUp(tag) }
    }

    /// An app is about to finish something.
    func finishes(_ name: TransactionName, on device: Int) { finishing[device].insert(name) }

    /// The app of a device has survived a step: what it finished is recorded.
    func survived(_ device: Int) {
        finished[device].formUnion(finishing[device])
        finishing[device] = []
    }

    /// An app is asked about a purchase that was begun on the store's page.
    func offered(_ tag: Int, _ product: Step.Product, on device: Int) {
        if !offered.insert(tag).inserted { broke("device \(device) is asked twice about payment \(tag)") }
        offers[device][product, default: 0] += 1
    }

    /// Says who is signed in on a device.
    var user: (_ device: Int) -> Int? = { _ in nil }

    func revoked(_ product: Step.Product, on device: Int) {
        let user = user(device)
        if user == nil, !spoilt.contains(device) {
            return broke("device \(device) heard that \(product) is revoked while nobody was signed in")
        }
        // A wire that was spoilt may have kept it since somebody else was signed in.
        for account in Simulation.accountNames.indices where account == user || spoilt.contains(device) {
            revocations[device][account, default: [:]][product, default: 0] += 1
        }
    }

    func restoreBegan(on device: Int, isObserved: Bool) {
        restores[device] += 1
        if isObserved { owedRestores[device] += 1 }
    }

    /// Nobody may be there to hear the end of a restore.
    func observerLeft(_ device: Int) { owedRestores[device] = 0 }

    func launched(_ device: Int) {
        passages.died(on: device)
        finishing[device] = []
        restores[device] = 0
        owedRestores[device] = 0
    }

    func restoreEnded(on device: Int) {
        restores[device] -= 1
        owedRestores[device] = max(0, owedRestores[device] - 1)
        if restores[device] < 0 { broke("a restore on device \(device) ended twice") }
    }
}
