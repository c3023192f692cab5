import StoreCore

/// The log of a run's app events, and the first rule that was broken.
final class EventLog: @unchecked Sendable {  // unchecked: a run uses one thread
    private(set) var violation: String?
    let payments = PaymentTracker()
    /// The requests of each device's apps.
    let requests: [RequestTracker]
    /// Payments that were shown as accepted.
    private(set) var accepted: Set<Int> = []
    /// Payments that were added in an operation that the app survived.
    var added: Set<Int> = []
    /// The final state of each payment.
    private var outcomes: [Int: Model.Stage] = [:]
    /// The transactions finished on each device by an app that heard their removal, or survived the operation.
    private var finished: [Set<TransactionName>]
    /// The transactions that the running launches have finished, and not heard removed.
    private var finishing: [Set<TransactionName>]
    /// The identifiers of the transactions finished on each device, and of those that running launches have finished in
    /// this operation.
    private var finishedIdentifiers: [Set<String>]
    private var finishingIdentifiers: [Set<String>]
    /// The number of times that the store's history could not be read since the store had crashed.
    var historyFailures = 0
    /// The restores that the running launch asked for and did not hear end.
    private var restores: [Int]
    /// Those of them whose end its observer has been there to hear.
    private(set) var owedRestores: [Int]

    /// Whether the apps take promoted purchases.
    var takesPromotions: [Bool]
    /// Whether the apps go on with purchases in a new country.
    var continues = true
    /// The number of times that they were offered each product.
    private(set) var offers: [[SimulatedOperation.Product: Int]]
    private var offered: Set<Int> = []
    /// The promoted purchases that the store has told each device of, and its app has not iterated over.
    private var intents: [[SimulatedOperation.Product: Int]]
    /// The number of times that each app heard that access to a product has ended, by possible user.
    private(set) var revocations: [[Int: [SimulatedOperation.Product: Int]]]

    /// The downloads' failures planned on each device; each comes at most once.
    private(set) var plannedFailures: [Int]
    /// The devices with faulty wires, unreachable stores or crashes, which may have failed a download.
    private var disturbed: Set<Int> = []
    /// The devices whose wires had faults.
    private var faulty: Set<Int> = []

    init(devices: Int) {
        requests = (0..<devices).map(RequestTracker.init)
        plannedFailures = Array(repeating: 0, count: devices)
        takesPromotions = Array(repeating: true, count: devices)
        offers = Array(repeating: [:], count: devices)
        revocations = Array(repeating: [:], count: devices)
        intents = offers
        finished = Array(repeating: [], count: devices)
        finishing = finished
        finishedIdentifiers = Array(repeating: [], count: devices)
        finishingIdentifiers = finishedIdentifiers
        restores = Array(repeating: 0, count: devices)
        owedRestores = restores
        for requests in requests { requests.broke = { [unowned self] in broke($0) } }
    }

    /// The transactions that no queue ordered although they carry the number of a payment that failed.
    private var resolved: Set<String> = []

    func broke(_ rule: String) { if violation == nil { violation = rule } }

    /// Records an operation's effects on downloads.
    func noteDisturbance(_ operation: SimulatedOperation) {
        switch operation {
        case .failDownload(let device): plannedFailures[device % plannedFailures.count] += 1
        case .injectFault(let device, _, _):
            disturbed.insert(device % plannedFailures.count)
            faulty.insert(device % plannedFailures.count)
        case .reachable(let device, false): disturbed.insert(device % plannedFailures.count)
        case .crash: disturbed.formUnion(plannedFailures.indices)
        default: break
        }
    }

    /// Allows only planned failures from now on.
    func disturbancesAreOver() { disturbed = [] }

    func excusesFailure(on device: Int) -> Bool { plannedFailures[device] > 0 || disturbed.contains(device) }

    func resolved(_ identifier: String) { resolved.insert(identifier) }

    /// Returns the name of a transaction.
    func name(_ transaction: SKPaymentTransaction) -> TransactionName {
        let payment = transaction.original == nil ? transaction.payment.applicationUsername : nil
        let identifier = transaction.storeIdentifier ?? ""
        guard let tag = PaymentTag.number(in: payment), !resolved.contains(identifier) else {
            return .transaction(identifier)
        }
        return .payment(tag)
    }

    func shown(_ name: TransactionName, _ stage: Model.Stage, on device: Int) {
        if finished[device].contains(name) { broke("\(name) came back on device \(device) after it was finished") }
        guard case .payment(let tag) = name else { return }
        accepted.insert(tag)
        payments.shown(tag, isDecided: stage.isDecided)
        guard stage.isDecided else { return }
        let outcome = outcomes[tag] ?? stage
        if outcome != stage { broke("payment \(tag) turned out both \(outcome) and \(stage)") }
        outcomes[tag] = stage
    }

    /// Records that a transaction has left its queue.
    func removed(_ name: TransactionName, _ stage: Model.Stage, on device: Int) {
        if finishing[device].remove(name) != nil { finished[device].insert(name) }
        if case .payment(let tag) = name, !stage.isDecided { payments.givenUp(tag) }
    }

    /// Records that an app is about to finish a transaction.
    func finishes(_ name: TransactionName, on device: Int) { finishing[device].insert(name) }

    /// Records that an app has finished a transaction, by either face.
    func finishes(identifier: String, on device: Int) { finishingIdentifiers[device].insert(identifier) }

    /// Whether an app on a device has finished a transaction, in this launch or in an earlier one.
    func hasFinished(_ identifier: String, on device: Int) -> Bool { finishedIdentifiers[device].contains(identifier) }

    /// Records what the app of a device finished in an operation that it survived.
    func survived(_ device: Int) {
        finishedIdentifiers[device].formUnion(finishingIdentifiers[device])
        finishingIdentifiers[device] = []
        finished[device].formUnion(finishing[device])
        finishing[device] = []
    }

    /// Records that an app is asked about a promoted purchase.
    func offered(_ tag: Int, _ product: SimulatedOperation.Product, on device: Int) {
        if !offered.insert(tag).inserted { broke("device \(device) is asked twice about payment \(tag)") }
        offers[device][product, default: 0] += 1
        intents[device][product, default: 0] -= 1
    }

    /// Records that an app that has no observer is told of a promoted purchase.
    func intended(_ product: SimulatedOperation.Product, on device: Int) {
        offers[device][product, default: 0] += 1
        intents[device][product, default: 0] -= 1
    }

    /// Records that a promoted purchase is on its way to an app that hears of it by Store Kit 2.
    func intends(_ product: SimulatedOperation.Product, on device: Int) { intents[device][product, default: 0] += 1 }

    /// A function that returns whether a device's app hears by Store Kit 2 alone.
    var hearsWithoutObserver: (_ device: Int) -> Bool = { _ in false }

    /// Records that access to a product has ended, of which an app without an observer hears no callback.
    func revokedUnobserved(_ product: SimulatedOperation.Product, on device: Int) {
        guard hearsWithoutObserver(device), let account = user(device) else { return }
        revocations[device][account, default: [:]][product, default: 0] += 1
    }

    /// A function that returns the user signed in on a device.
    var user: (_ device: Int) -> Int? = { _ in nil }

    func revoked(_ product: SimulatedOperation.Product, on device: Int) {
        let user = user(device)
        if user == nil, !faulty.contains(device) {
            return broke("device \(device) heard that \(product) is revoked while nobody was signed in")
        }
        // A faulty wire may have delayed it since another user was signed in.
        for account in Model.accountNames.indices where account == user || faulty.contains(device) {
            revocations[device][account, default: [:]][product, default: 0] += 1
        }
    }

    func restoreBegan(on device: Int, isObserved: Bool) {
        restores[device] += 1
        if isObserved { owedRestores[device] += 1 }
    }

    /// Records that the end of a restore may go unheard.
    func observerLeft(_ device: Int) { owedRestores[device] = 0 }

    func launched(_ device: Int) {
        payments.crashed(on: device)
        finishing[device] = []
        finishingIdentifiers[device] = []
        restores[device] = 0
        owedRestores[device] = 0
        // An intent that its app has not taken dies with the app.
        for (product, count) in intents[device] where count > 0 { offers[device][product, default: 0] += count }
        intents[device] = [:]
    }

    func restoreEnded(on device: Int) {
        restores[device] -= 1
        owedRestores[device] = max(0, owedRestores[device] - 1)
        if restores[device] < 0 { broke("a restore on device \(device) ended twice") }
    }
}

/// The name of a transaction in every launch: a payment's number, or the store's name for what no app ordered.
enum TransactionName: Hashable, CustomStringConvertible {
    case payment(Int)
    case transaction(String)

    var description: String {
        switch self {
        case .payment(let tag): "payment \(tag)"
        case .transaction(let identifier): "transaction \(identifier)"
        }
    }
}
