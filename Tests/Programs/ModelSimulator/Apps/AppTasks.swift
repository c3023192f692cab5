import Foundation
import StoreCore
import StoreKit

/// What one launch of an app does by Store Kit 2, each in a task of its own, and what it hears there.
final class AppTasks: @unchecked Sendable {  // unchecked: a run uses one thread
    private let device: Int
    private let context: StoreContext
    private let process: ProcessState
    private let lane: TaskLane
    private let crashInjector: CrashInjector
    private unowned let eventLog: EventLog
    /// Whether the app has used Store Kit 2, from when on that follows its queue.
    private(set) var isInUse = false
    /// The purchases that are not checked yet.
    var purchases: [PurchaseProbe] = []
    private(set) var listeners: [UpdatesProbe] = []
    private var others: [Task<Void, Never>] = []
    /// The transactions that purchases have returned.
    private(set) var returned: Set<String> = []
    /// The number of times that another user signed in, or nobody did.
    private(set) var userNumber = 0
    /// The promoted purchases that the app's observer has declined, which are intents then.
    private var offered: [SimulatedOperation.Product: Int] = [:]

    init(
        _ device: Int,
        _ context: StoreContext,
        _ process: ProcessState,
        _ lane: TaskLane,
        _ crashInjector: CrashInjector,
        _ eventLog: EventLog
    ) {
        self.device = device
        self.context = context
        self.process = process
        self.lane = lane
        self.crashInjector = crashInjector
        self.eventLog = eventLog
    }

    /// Begins a task in the app's context.
    @discardableResult
    private func begin(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if !isInUse {
            isInUse = true
            others.append(begin { [self] in await followIntents() })
        }
        return context.run {
            Task(executorPreference: lane) { [process] in
                // What a crashed process had not begun yet finds no queue.
                if !process.hasCrashed { await body() }
            }
        }
    }

    /// Cancels all tasks.
    func cancelAll() {
        for purchase in purchases { purchase.task?.cancel() }
        for listener in listeners { listener.task?.cancel() }
        for task in others { task.cancel() }
    }

    /// Cancels one of the tasks that wait.
    func cancel(_ index: Int) {
        let purchases = purchases.filter { $0.outcome == nil }
        let listeners = listeners.filter { !$0.isOver }
        guard !purchases.isEmpty || !listeners.isEmpty else { return }
        let place = index % (purchases.count + listeners.count)
        if place < purchases.count {
            purchases[place].isCanceled = true
            purchases[place].task?.cancel()
        } else {
            listeners[place - purchases.count].end()
            listeners[place - purchases.count].task?.cancel()
        }
    }

    /// Another user signs in on the device, or the user signs out.
    func userChanges() {
        userNumber += 1
        for listener in listeners { listener.userChanges() }
    }

    /// Reads something by Store Kit 2, without a boundary at which anything could crash.
    func read<R: Sendable>(_ body: @escaping @Sendable () async -> R) -> R? {
        let found = Locked<R?>(nil)
        crashInjector.looking {
            begin {
                let result = await body()
                found.withLock { $0 = result }
            }
            while lane.drainHere() {}
        }
        return found.withLock { $0 }
    }
}

// MARK: - Purchases

extension AppTasks {
    func purchase(_ probe: PurchaseProbe) {
        purchases.append(probe)
        probe.userNumber = userNumber
        probe.task = begin { [self] in
            let outcome = await outcome(of: probe)
            crashInjector.pass()
            if process.hasCrashed { return }
            probe.outcome = outcome
            if case .purchased(let identifier, let token) = outcome {
                // What answers a purchase without being its own may be an update, or have been one.
                if token != PaymentTag.token(probe.tag) {
                    return eventLog.shown(.payment(probe.tag), .purchased, on: device)
                }
                returned.insert(identifier)
                if listeners.contains(where: { !$0.isBehind && $0.hasHeardOfPurchase(identifier) }) {
                    toldToo(identifier)
                }
                eventLog.shown(.payment(probe.tag), .purchased, on: device)
            }
        }
    }

    private func outcome(of probe: PurchaseProbe) async -> PurchaseProbe.Outcome {
        var options: Set<Product.PurchaseOption> = [.onStorefrontChange { [eventLog] _ in eventLog.continues }]
        if let token = PaymentTag.token(probe.tag) { options.insert(.appAccountToken(token)) }
        if probe.quantity != 1 { options.insert(.quantity(probe.quantity)) }
        if probe.product == .gift { options.insert(.simulatesAskToBuyInSandbox(true)) }
        do {
            switch try await Product(probe.product).order(options) {
            case .success(let result):
                let transaction = result.unsafePayloadValue
                return .purchased(identifier: String(transaction.id), token: transaction.appAccountToken)
            case .userCancelled: return .canceled
            case .pending: return .pending
            }
        } catch is CancellationError {
            return .abandoned
        } catch {
            return .failed(error)
        }
    }
}

// MARK: - Transactions

extension AppTasks {
    /// Begins to iterate over updates.
    ///
    /// - Parameters:
    ///   - finishes: whether it finishes what it hears.
    ///   - revoked: the transactions that are revoked already, of which it need not hear.
    func listen(finishes: Bool, revoked: Set<String>) {
        let probe = UpdatesProbe(revoked: revoked)
        listeners.append(probe)
        probe.task = begin { [self] in
            var updates = Transaction.updates.makeAsyncIterator()
            while let result = await updates.next(), !process.hasCrashed {
                hear(result, probe)
                if finishes { await finish(result.unsafePayloadValue) }
                await probe.wait()
            }
            if !process.hasCrashed, !Task.isCancelled { eventLog.broke("updates end on device \(device)") }
            probe.end()
        }
    }

    func pauseUpdates(_ isOn: Bool) { for listener in listeners where !listener.isOver { listener.pause(isOn) } }

    private func hear(_ result: VerificationResult<Transaction>, _ probe: UpdatesProbe) {
        crashInjector.pass()
        if process.hasCrashed { return }
        guard case .verified(let transaction) = result else {
            return eventLog.broke("device \(device) is told of a transaction that is not verified")
        }
        if eventLog.historyFailures > 0 { probe.fallBehind() }
        let identifier = String(transaction.id)
        let isNew = probe.hear(identifier, revocationDate: transaction.revocationDate)
        if probe.isBehind { return }
        if transaction.revocationDate == nil, returned.contains(identifier) { toldToo(identifier) }
        if !isNew { eventLog.broke("device \(device) hears twice of transaction \(identifier) in the same state") }
        if transaction.revocationDate == nil, eventLog.hasFinished(identifier, on: device) {
            eventLog.broke("device \(device) hears of transaction \(identifier) after it was finished there")
        }
    }

    /// A transaction that a purchase returns is an update too, which it becomes only for a user who comes back.
    private func toldToo(_ identifier: String) {
        if userNumber > 0 { return }
        eventLog.broke("device \(device) hears of transaction \(identifier), which a purchase has returned there")
    }

    /// Finishes one of the unfinished transactions.
    func finishUnfinished(_ index: Int) {
        let task = begin { [self] in
            var unfinished: [Transaction] = []
            for await result in Transaction.unfinished { unfinished.append(result.unsafePayloadValue) }
            crashInjector.pass()
            if process.hasCrashed || unfinished.isEmpty { return }
            await finish(unfinished[index % unfinished.count])
        }
        others.append(task)
    }

    private func finish(_ transaction: Transaction) async {
        let identifier = String(transaction.id)
        // What the queue does not have yet may be finished elsewhere, or be deleted, before it comes.
        let isListed = SKPaymentQueue.default().transactions.contains { $0.storeIdentifier == identifier }
        await transaction.finish()
        crashInjector.pass()
        if isListed, !process.hasCrashed { eventLog.finishes(identifier: identifier, on: device) }
    }
}

// MARK: - Intents

extension AppTasks {
    /// The app's observer has declined a promoted purchase.
    func wasOffered(_ product: SimulatedOperation.Product) { if isInUse { offered[product, default: 0] += 1 } }

    private func followIntents() async {
        for await intent in PurchaseIntent.intents {
            crashInjector.pass()
            if process.hasCrashed { return }
            guard let product = SimulatedOperation.Product(rawValue: intent.product.id) else { continue }
            if offered[product, default: 0] > 0 {
                offered[product, default: 0] -= 1
            } else {
                eventLog.intended(product, on: device)
            }
        }
    }
}
