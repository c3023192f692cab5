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
    /// The faults of deliveries and of the server, in the order in which they happened, without repetitions.
    private(set) var faults: [(product: String?, words: String)] = []
    /// The requests and their answers, and the steps.
    private(set) var exchanges: [ServerExchange] = []
    /// The lines that replay the life on a store.
    private(set) var scenario: [String]
    /// The seconds after which a server that has missed something is started once more.
    ///
    /// The history of notifications in the sandbox goes back 30 days.
    private static let reach: TimeInterval = 20 * 86_400
    /// The seconds before each step.
    private static let pause: TimeInterval = 60
    /// The highest number of test notifications for which a server asks.
    private static let mostTests = 100
    private let clock = ManualClock()
    private let performer: ScenarioPerformer
    private let view: ServerView
    private let wire: NotificationWire
    private let reader: TransactionReader
    private let preparation: [String]
    /// The uploads that the server has accepted, by transaction.
    private var accepted: Set<String> = []
    private var closedApps: Set<String> = []
    private var uploadsFirst = false
    private var losesAttempt = false
    private var losesUpload = false
    private var downUntil: Date?
    private var tests = 0
    /// The date since which the server has missed a notification that is lost for good; nil for none.
    private var missedSince: Date?
    /// The date of the next delivery; nil if none is planned.
    private var due: Date?

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
        view = ServerView(store)
        wire = NotificationWire(view)
        reader = TransactionReader(store)
        scenario = preparation
    }

    /// Lives through the steps, and compares the server with the store at the end.
    ///
    /// - Throws: ``ServerViolation`` for a broken rule; ``ServerSimulationError`` for a mistake in the simulation.
    func live(_ steps: [ServerStep]) throws {
        do {
            try begin()
            for step in steps {
                // No two events that people cause have the same date, by which servers order them.
                try store.advanceThrowing(to: clock.now + Self.pause)
                scenario.append("advance \(Int(Self.pause))s")
                exchanges.append(ServerExchange(date: clock.now, what: step.line))
                try perform(step)
                try settle()
            }
            try rest()
            try judge()
        } catch let fault as ServerUnderTest.Fault {
            throw ServerViolation(rule: fault.rule, sentence: fault.sentence + faultWords(about: nil) + fault.output)
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
        try view.beginNotifications()
        for line in preparation { _ = try performer.perform(line) }
        server.api.serve(store, view)
        (server.isDown, server.remaining, server.diesAsking) = (false, nil, false)
        try reset()
    }

    private func reset() throws {
        let form = setup.server.reset
        let outcome = try server.send("POST", filled(form), form: form, body: Data("{}".utf8), at: clock.now)
        guard case .answered(let response) = outcome, response.status / 100 == 2 else {
            throw ServerViolation(
                rule: "reset",
                sentence: "the server does not forget everything: POST \(setup.server.reset) -> \(words(outcome))"
            )
        }
        _ = server.api.takeRequests()
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
            _ = try? view.extendRenewal(of: original, days: days, reason: 1, request: request)
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
        case .notification(let fault):
            wire.add(fault)
        case .loseAttempt: losesAttempt = true
        case .kill: kill()
        case .killDuringRequest(let count): server.remaining = count
        case .killAsking: server.diesAsking = true
        case .loseUploadAnswer: losesUpload = true
        case .down(let hours):
            kill()
            server.isDown = true
            downUntil = max(downUntil ?? .distantPast, clock.now + Double(hours) * 3600)
        case .api(let code, let times):
            server.api.fail(code, times: times)
            note(nil, "the API failed")
        default: break
        }
    }

    private func kill() {
        server.kill()
        note(nil, "the server was killed")
    }

    /// Starts the server once more, without faults, so that it can ask the API for what it has missed.
    private func restart() throws {
        exchanges.append(ServerExchange(date: clock.now, what: "# the server is started once more"))
        missedSince = nil
        guard server.isStarted else { return }
        server.api.endFaults()
        server.kill()
        try server.start(at: clock.now)
        noteRequests()
    }

    /// Advances the clock, and delivers meanwhile what falls due.
    private func advance(to end: Date) throws {
        scenario.append("advance-to \(end.formatted(.iso8601))")
        while clock.now < end {
            var next = min(end, clock.now + 86_400)
            for date in [due, downUntil].compactMap(\.self) where date > clock.now { next = min(next, date) }
            try store.advanceThrowing(to: next)
            try settle()
        }
    }

    // MARK: Network

    /// Delivers and uploads everything that is due.
    private func settle() throws {
        if let date = downUntil, date <= clock.now {
            downUntil = nil
            server.isDown = false
        }
        if let date = missedSince, clock.now.timeIntervalSince(date) > Self.reach, !server.isDown { try restart() }
        if uploadsFirst { try upload() }
        due = try wire.deliver(deliver)
        if !uploadsFirst { try upload() }
    }

    private func deliver(_ post: NotificationWire.Post) throws -> (result: SendAttemptResult, status: Int?) {
        let outcome = try attempt(post)
        // No attempt follows: the server has to ask for it.
        if post.isLast, outcome.result != .success { missedSince = missedSince ?? clock.now }
        return outcome
    }

    /// Notes a test notification, of which a server that asks for one at each would receive more for ever.
    private func noteTest() throws {
        tests += 1
        if tests <= Self.mostTests { return }
        throw ServerViolation(
            rule: "tests",
            sentence: "the server has asked the API for more than \(Self.mostTests) test notifications"
        )
    }

    private func attempt(_ post: NotificationWire.Post) throws -> (result: SendAttemptResult, status: Int?) {
        let notification = post.notification
        let product = notification.transaction?.productId
        let name = [notification.type, notification.subtype].compactMap(\.self).joined(separator: " ")
        let subject = notification.transaction.map { " #\($0.transactionId) \($0.productId)" } ?? ""
        let what = "notification \(name)\(subject)\(post.manner == "normal" ? "" : " (\(post.manner))")"
        if let fault = Self.words(post.manner) { note(product, "\(notification.type) \(fault)") }
        if notification.type == "TEST" { try noteTest() }
        if post.body == nil { missedSince = missedSince ?? clock.now }
        guard let body = post.body, !losesAttempt || post.isForged else {
            if post.body != nil {
                losesAttempt = false
                note(product, "the first \(notification.type) was lost")
            }
            exchanges.append(ServerExchange(date: clock.now, what: what, answer: "lost"))
            return (.noResponse, nil)
        }
        let outcome = try send("POST", setup.server.notifications, body, what: what, isForged: post.isForged)
        guard case .answered(let response) = outcome else {
            note(
                product,
                outcome == .down ? "\(notification.type) came while the server was down" : "the server was killed"
            )
            return (outcome == .down ? .socketIssue : .prematureClose, nil)
        }
        return (response.status / 100 == 2 ? .success : .unsuccessfulStatus, response.status)
    }

    /// Returns the words for the manner of a delivery; nil for a normal one.
    private static func words(_ manner: String) -> String? {
        switch manner {
        case "normal": nil
        case "twice": "was delivered twice"
        case "reordered": "was delivered after the notification that followed it"
        case "late": "was late"
        case "slow": "was answered too late, and sent again"
        case "replayed": "was delivered again after a later one"
        case "never": "was lost"
        default: "was forged (\(manner))"
        }
    }

    private func note(_ product: String?, _ words: String) {
        if !faults.contains(where: { $0.words == words && $0.product == product }) { faults.append((product, words)) }
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
                guard let jws = try view.transaction(transaction.id)?.jws else { continue }
                let members = form.body.mapValues { text in
                    AnswerValue.text(self.filled(text, customer).replacing("{signedTransaction}", with: jws))
                }
                let what = "upload by customer \(customer.name) #\(transaction.id) \(transaction.productIdentifier)"
                let place = exchanges.count
                let outcome = try send("POST", form.path, of: customer, AnswerValue.object(members).json, what: what)
                if losesUpload, case .answered = outcome {
                    losesUpload = false
                    exchanges[place].answer? += ", which is lost"
                    note(transaction.productIdentifier, "an answer to an upload was lost")
                } else if case .answered(let response) = outcome, response.status / 100 == 2 {
                    accepted.insert(transaction.id)
                } else if isLast {
                    throw ServerViolation(
                        rule: "upload",
                        sentence: "the server does not take \(what) -> \(words(outcome))"
                    )
                }
            }
        }
    }

    /// Sends a request to the server, and notes it.
    private func send(
        _ method: String,
        _ form: String,
        of customer: SimulatedCustomer? = nil,
        _ body: Data?,
        what: String,
        isForged: Bool = false
    ) throws -> ServerUnderTest.Outcome {
        let place = exchanges.count
        exchanges.append(ServerExchange(date: clock.now, what: what, answer: "no answer"))
        let outcome = try server.send(method, filled(form, customer), form: form, body: body, at: clock.now)
        exchanges[place].answer = words(outcome)
        let requests = noteRequests()
        if case .answered(let response) = outcome, response.status >= 500, !isForged,
            !requests.contains(where: { $0.status.map { $0 == 429 || $0 >= 500 } ?? true })
        {
            throw ServerViolation(rule: "5xx \(form)", sentence: "the server fails: \(what) -> \(words(outcome))")
        }
        return outcome
    }

    /// Notes the requests of the server to the API, and returns them.
    @discardableResult
    private func noteRequests() -> [SimulatedAppStore.Request] {
        let requests = server.api.takeRequests()
        exchanges += requests.map {
            ServerExchange(
                date: clock.now,
                what: "  the server asks the API: \($0.line)",
                answer: $0.status.map { "\($0)" } ?? "the server was killed before"
            )
        }
        return requests
    }

    private func words(_ outcome: ServerUnderTest.Outcome) -> String {
        switch outcome {
        case .answered(let response):
            let text = String(decoding: response.body.prefix(200), as: UTF8.self).replacing("\n", with: " ")
            return text.isEmpty ? "\(response.status)" : "\(response.status) \(text)"
        case .killed: return "the server was killed, and its answer is lost"
        case .down: return "the server is down"
        }
    }

    private func filled(_ text: String, _ customer: SimulatedCustomer? = nil) -> String {
        text.replacing("{customer}", with: customer?.identifier ?? "")
            .replacing("{now}", with: "\(ServerUnderTest.milliseconds(clock.now))")
    }

    // MARK: The end

    /// Ends the faults, and lets everything arrive that will.
    private func rest() throws {
        exchanges.append(ServerExchange(date: clock.now, what: "# the faults end"))
        server.api.endFaults()
        (server.isDown, server.remaining, server.diesAsking, downUntil) = (false, nil, false, nil)
        (losesAttempt, losesUpload) = (false, false)
        wire.endFaults()
        try settle()
        while let due { try advance(to: due) }
        if missedSince != nil { try restart() }
        try upload(isLast: true)
        due = try wire.deliver(deliver)
    }

    /// Compares what the server says with the store.
    private func judge() throws {
        let judge = ServerJudge(setup, store, try reader.transactions(), at: clock.now)
        for customer in customers {
            let form = setup.server.access
            let outcome = try send("GET", form, of: customer, nil, what: "access of customer \(customer.name)")
            guard case .answered(let response) = outcome, response.status / 100 == 2,
                let json = try? JSONSerialization.jsonObject(with: response.body, options: .fragmentsAllowed)
            else {
                throw ServerViolation(
                    rule: "access",
                    sentence:
                        "the server does not say what customer \(customer.name) may use: GET \(filled(form, customer)) -> \(words(outcome))"
                )
            }
            guard let difference = judge.difference(in: json, of: customer) else { continue }
            throw ServerViolation(
                rule: difference.rule,
                sentence: difference.sentence + faultWords(about: difference.product)
            )
        }
    }

    private func faultWords(about product: String?) -> String {
        let words = faults.filter { $0.product == nil || product == nil || $0.product == product }.map(\.words)
        return words.isEmpty ? "" : " (\(words.prefix(3).joined(separator: "; ")))"
    }
}

/// A request and its answer in the life of a server, or a step of that life.
struct ServerExchange: Hashable, Sendable {
    /// The date by the store's clock.
    let date: Date
    /// The request or the step.
    let what: String
    /// The answer; nil for a step.
    var answer: String?

    /// The exchange in a line.
    var line: String { "\(date.formatted(.iso8601))  \(what)\(answer.map { " -> \($0)" } ?? "")" }
}

/// A broken rule in the life of a server.
struct ServerViolation: Error {
    /// The identity of the rule, independent of the numbers in the sentence.
    let rule: String
    let sentence: String
}
