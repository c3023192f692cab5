import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// A life of the server under test: a store with customers, and the network between all of them, by one clock.
final class ServerLife {
    let setup: ServerSetup
    let server: ServerUnderTest
    let customers: [SimulatedCustomer]
    let store: SandboxStore
    /// The lines that replay the life on a store.
    private(set) var scenario: [String]
    /// The seconds before each step.
    private static let pause: TimeInterval = 60
    private let clock = ManualClock()
    private let performer: ScenarioPerformer
    private let network: ServerNetwork
    private let reader: TransactionReader
    private let preparation: [String]
    /// The uploads that the server has accepted, by transaction.
    private var accepted: Set<String> = []
    private var closedApps: Set<String> = []
    private var uploadsFirst = false
    private var losesUpload = false

    init(_ setup: ServerSetup, _ server: ServerUnderTest, _ generator: ServerStepGenerator) throws {
        (self.setup, self.server) = (setup, server)
        (customers, preparation) = (generator.customers, generator.preparation)
        let signer = try AppStoreSigner(server.api.authority, clock: clock)
        store =
            if let configuration = setup.configuration {
                try SandboxStore(
                    configuration,
                    clock: clock,
                    signer: signer,
                    bundleIdentifier: setup.bundle,
                    log: .silent
                )
            } else {
                try SandboxStore(
                    products: setup.products,
                    clock: clock,
                    signer: signer,
                    bundleIdentifier: setup.bundle,
                    log: .silent
                )
            }
        performer = ScenarioPerformer(store: store)
        network = ServerNetwork(server, store)
        reader = TransactionReader(store)
        scenario = preparation
    }

    /// The requests and their answers, and the steps.
    var exchanges: [ServerExchange] { network.exchanges }

    /// Lives through the steps, and compares the server with the store at the end.
    ///
    /// - Throws: ``ServerViolation`` for a broken rule; ``ServerSimulationError`` for a mistake in the simulation.
    func live(_ steps: [ServerStep]) throws {
        try network.judging {
            try begin()
            for step in steps {
                // No two events that people cause have the same date, by which servers order them.
                try store.advanceThrowing(to: clock.now + Self.pause)
                scenario.append("advance \(Int(Self.pause))s")
                network.note(step.line)
                try perform(step)
                try settle()
            }
            try rest()
            try network.judge(customers)
        }
    }

    /// Begins a life only to see that the server starts, is ready and forgets everything.
    ///
    /// - Throws: ``ServerSimulationError`` if it does not: a mistake in the simulation's file is probable.
    func check() throws {
        do {
            try begin()
        } catch let fault as ServerUnderTest.Fault {
            throw ServerSimulationError(fault.sentence + fault.output)
        } catch let violation as ServerViolation {
            throw ServerSimulationError(violation.sentence + server.lastLines)
        }
    }

    private func begin() throws {
        try network.begin()
        for line in preparation { _ = try performer.perform(line) }
        if setup.server.retention != nil { try network.addRetentionMessage() }
    }

    // MARK: Steps

    private func perform(_ step: ServerStep) throws {
        switch step {
        case .store(let line):
            scenario.append("try \(line)")
            _ = try performer.perform("try \(line)")
        case .advance(let hours): try advance(to: clock.now + Double(hours) * 3600)
        case .advanceToEnd(let customer):
            let periods = store.account(named: customer)?.subscriptions.filter(\.isRunning) ?? []
            guard let end = periods.map(\.expirationDate).filter({ $0 > clock.now }).min() else { return }
            try advance(to: end)
        case .extend(let index, let days):
            let all = store.accounts.flatMap(\.subscriptions)
            guard !all.isEmpty else { return }
            let original = all[index % all.count].originalTransaction
            let request = "extension-\(exchanges.count)"
            scenario.append(step.line)
            // A subscription that is over cannot be extended.
            _ = try? network.view.extendRenewal(of: original, days: days, reason: 1, request: request)
        case .viewCancellation(let customer, let cancels):
            scenario.append("try \(step.line)")
            guard let account = store.account(named: customer) else { return }
            for subscription in account.subscriptions
            where try network.showCancellation(to: account, subscription.groupIdentifier) && cancels {
                // A renewal that has failed may have ended it meanwhile.
                try? account.setAutoRenew(false, inGroup: subscription.groupIdentifier)
            }
        case .app(let customer, let isOpen):
            scenario.append(step.line)
            if isOpen { closedApps.remove(customer) } else { closedApps.insert(customer) }
        default:
            scenario.append(step.line)
            disturb(step)
        }
    }

    private func disturb(_ step: ServerStep) {
        switch step {
        case .uploadsFirst(let isFirst): uploadsFirst = isFirst
        case .notification(let fault): network.add(fault)
        case .loseAttempt: network.loseNextAttempt()
        case .kill: network.kill()
        case .killDuringRequest(let count): network.killDuringRequest(after: count)
        case .killAsking: network.killAsking()
        case .loseUploadAnswer: losesUpload = true
        case .down(let hours): network.goDown(hours: hours)
        case .question(let fault): network.questionFault = fault
        case .api(let code, let times): network.failAPI(code, times: times)
        default: break
        }
    }

    /// Advances the clock, and delivers meanwhile what falls due.
    private func advance(to end: Date) throws {
        scenario.append("advance-to \(end.formatted(.iso8601))")
        while clock.now < end {
            var next = min(end, clock.now + 86_400)
            if let date = network.nextDate { next = min(next, date) }
            try store.advanceThrowing(to: next)
            try settle()
        }
    }

    // MARK: Network

    /// Delivers and uploads everything that is due.
    private func settle() throws {
        try network.bringUp()
        if uploadsFirst { try upload() }
        try network.deliver()
        if !uploadsFirst { try upload() }
    }

    /// Uploads the transactions of customers whose app is open.
    private func upload(isLast: Bool = false) throws {
        guard let form = setup.server.upload else { return }
        let signedIn = Set(store.devices.compactMap { $0.account?.name })
        for customer in customers
        where isLast || (!closedApps.contains(customer.name) && signedIn.contains(customer.name)) {
            for transaction in try reader.transactions()
            where transaction.account == customer.name && transaction.state == .purchased && transaction.held == nil
                && transaction.origin != .restoration && !accepted.contains(transaction.id)
            {
                guard let jws = try network.view.transaction(transaction.id)?.jws else { continue }
                let members = form.body.mapValues { text in
                    AnswerValue.text(self.network.filled(text, customer).replacing("{signedTransaction}", with: jws))
                }
                let what = "upload by customer \(customer.name) #\(transaction.id) \(transaction.productIdentifier)"
                let place = network.exchanges.count
                let outcome = try network.send(
                    "POST",
                    form.path,
                    of: customer,
                    AnswerValue.object(members).json,
                    what: what
                )
                if losesUpload, case .answered = outcome {
                    losesUpload = false
                    network.noteLostAnswer(at: place)
                    network.note(fault: "an answer to an upload was lost", about: transaction.productIdentifier)
                } else if case .answered(let response) = outcome, response.status / 100 == 2 {
                    accepted.insert(transaction.id)
                } else if isLast {
                    throw ServerViolation(
                        rule: "upload",
                        sentence: "the server does not take \(what) -> \(network.words(outcome))"
                    )
                }
            }
        }
    }

    // MARK: The end

    /// Ends the faults, and lets everything arrive that will.
    private func rest() throws {
        network.endFaults()
        losesUpload = false
        try settle()
        while let date = network.nextDelivery { try advance(to: date) }
        try network.catchUp()
        try upload(isLast: true)
        try network.deliver()
    }
}
