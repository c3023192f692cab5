import Foundation
import StoreContract
import StoreCore

/// A broken rule, and the number of steps before it.
struct AppViolation: Error {
    /// The identity of the rule, independent of the numbers in the sentence.
    let rule: String
    let sentence: String
    let step: Int
    /// The kills of the life.
    var kills: [AppKill] = []
    /// The requests to the app's server and their answers.
    var exchanges: [String] = []

    static func restless(before step: Int) -> Self { Self(sentence: "the app never comes to rest", step: step) }

    init(_ rule: String? = nil, sentence: String, step: Int) {
        self.rule = rule ?? sentence
        self.sentence = sentence
        self.step = step
    }
}

/// A kill of an app at a boundary.
struct AppKill: Hashable, Sendable {
    /// The index of the step that armed it.
    let step: Int
    /// The boundary, as in `before a request for products`.
    let place: String

    /// The kill in a sentence.
    var sentence: String { "step \(step + 1) killed the app \(place)" }
}

/// A simulated life of an app: a store, the user's devices, and the launches of the app on them.
final class AppLife {
    /// The signer of all lives' receipts.
    private static let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))
    /// The signer of all lives' offers and requests.
    static let offerSigner = HMACOfferSigner(key: Data(repeating: 8, count: 32))

    let setup: AppSimulationSetup
    let course: LifeCourse
    let clock = ManualClock()
    let launches: AppLaunches
    let store: SandboxStore
    let user: AppUser
    let judge: AppJudge
    let historyFaults: HistoryFaults
    /// The app's server in this life; nil for a simulation without one.
    let server: (any AppServerLife)?
    private let customers: AppCustomers
    var coverage = AppCoverage()
    /// The index of the last step that armed a kill.
    var armingStep = 0
    private(set) var kills: [AppKill] = []

    init(_ setup: AppSimulationSetup, seed: UInt64, _ course: LifeCourse, _ host: (any AppServerHost)? = nil) throws {
        self.setup = setup
        self.course = course
        launches = AppLaunches(clock)
        store = try SandboxStore(
            products: setup.products,
            clock: clock,
            locale: "en_US",
            signer: host?.signer(clock: clock) ?? Self.signer,
            bundleIdentifier: host?.bundle ?? "com.example.app"
        )
        // Nothing else is sold by what the key signs.
        if setup.products.contains(where: { $0.isAdvancedCommerce || $0.subscription != nil }) {
            store.offerSigners = [Self.offerSigner]
        }
        user = AppUser(store, seed: seed, claims: setup.claims.count)
        judge = AppJudge(setup, store, user)
        historyFaults = HistoryFaults(clock: clock)
        let hasOther = setup.hasOtherUser || course.steps.contains(where: \.involvesOthers)
        customers = AppCustomers(
            of: [store.account.name] + (hasOther ? [AppStep.otherName] : []),
            on: store.device,
            seed: seed
        )
        server = host?.life(store, customers: customers.all)
    }

    /// Performs the steps and the final checks.
    ///
    /// - Throws: the first violation, or a mistake in the simulation.
    func live() throws {
        try judgingServer(before: 0) { try server?.begin() }
        try launches.scheduler.bind {
            defer { over() }
            // Accounts created later would notify a running app.
            if setup.hasOtherUser || course.steps.contains(where: \.involvesOthers) {
                _ = try store.addAccount(AppStep.otherName)
                _ = try store.addAccount(AppStep.relativeName)
            }
            launch()
            try settle(before: 0)
            try follow()
        }
    }

    /// Performs everything that can happen without a further step, with the app and its server; returns whether the app was
    /// killed.
    @discardableResult
    func settle(before step: Int) throws -> Bool {
        guard let server else { return try launches.settle(before: step) }
        try launches.settle(before: step)
        try judgingServer(before: step) { try server.settle() }
        // The server may have changed something in the store.
        return try launches.settle(before: step)
    }

    /// Calls a body, and throws the server's violation as one of the life.
    private func judgingServer(before step: Int, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let violation as AppServerViolation {
            throw AppViolation("server \(violation.rule)", sentence: violation.sentence, step: step)
        }
    }

    /// Lets everything arrive at the server that will.
    func settleServer(before step: Int) throws {
        guard let server else { return }
        server.endFaults()
        try settle(before: step)
        while let next = server.nextDate {
            clock.advance(to: min(next, clock.now + 86_400))
            try settle(before: step)
            try relaunchKilled(before: step)
        }
        try judgingServer(before: step) { try server.catchUp() }
        try settle(before: step)
    }

    /// Compares what the server says with the store.
    func judgeServer(before step: Int) throws { try judgingServer(before: step) { try server?.judge() } }

    var device: SandboxDevice { user.current.device }

    /// Launches the app on the device in use.
    ///
    /// If none of its steps disturbs messages, a launch calls the store directly, like an app whose store is in its process;
    /// any other launch uses the fault injector.
    private func launch() {
        let current = user.current
        let steps = course.coming.prefix { $0 != .relaunch }
        let isDirect = current.wire?.isIdle != false && steps.allSatisfy { !$0.disturbs }
        user.setAuthorizer(isDirect: isDirect)
        judge.forgetShown()
        server?.note("# the app is launched")
        launches.launch(setup, on: current, store.signer, customers, server) { process in
            isDirect
                ? DirectLaunchBackend(current.device, process, judge.shown, historyFaults)
                : LaunchBackend(current.connectedWire(), process, judge.shown, historyFaults)
        }
    }

    /// Ends the app, and launches it again, on the same device unless another is given.
    func relaunch(on next: AppDevice? = nil) {
        launches.end()
        if let next { user.current = next }
        launch()
    }

    /// Ends the app and all waits of its code.
    private func over() {
        course.turn += 1
        noteKill()
        launches.end()
        coverage.noteFaults(historyFaults.count, of: AppCoverage.question)
        for device in user.devices {
            guard let wire = device.wire else { continue }
            for (point, count) in wire.faultCounts { coverage.noteFaults(count, of: point.rawValue) }
            wire.removeAllRules()
            wire.cut()
        }
        historyFaults.removeAll()
        historyFaults.answerLate()
        launches.endWaits()
    }

    /// Launches the app again if it was killed, and returns whether it was.
    @discardableResult
    func relaunchKilled(before step: Int) throws -> Bool {
        guard launches.running?.process.isDead == true else { return false }
        if let boundary = launches.running?.process.killedAt { coverage.noteKill(at: boundary) }
        noteKill()
        relaunch()
        try settle(before: step)
        return true
    }

    /// Records the kill of the running process, if it was killed at a boundary.
    private func noteKill() {
        guard let place = launches.running?.process.killPlace else { return }
        kills.append(AppKill(step: armingStep, place: place))
        server?.note("# the app was killed \(place)")
    }

    /// The conditions under which a step begins, such as an unfinished purchase: coverage counts steps by them.
    ///
    /// Uses the last reading of the store where possible, since this is called before each step.
    var states: AppCoverage.States {
        var states = AppCoverage.States()
        let transactions = judge.transactions
        for index in transactions.indices {
            if transactions[index].cancellationDate != nil { states.insert(.refunded) }
            switch transactions[index].state {
            case .purchasing, .deferred: states.insert(.undecided)
            case .purchased: if !transactions[index].isFinished { states.insert(.unfinished) }
            case .failed, .restored: break
            }
        }
        if user.hasInterrupted, !store.interruptedPurchases.isEmpty { states.insert(.interrupted) }
        if !device.isReachable { states.insert(.offline) }
        if setup.sellsSubscriptions {
            let subscriptions = store.account.subscriptions
            if subscriptions.contains(where: { $0.isRunning }) { states.insert(.subscribed) }
            if subscriptions.contains(where: { !$0.isRunning }) { states.insert(.lapsed) }
        }
        if user.current.hasOtherUser { states.insert(.otherUser) }
        if user.usesSecond { states.insert(.secondDevice) }
        if states.isEmpty { states.insert(.atRest) }
        return states
    }
}
