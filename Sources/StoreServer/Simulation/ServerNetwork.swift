import Foundation
import StoreCore
import StoreCrypto

/// The network of a life between its store, the server under test and the App Store Server API, by the store's clock.
///
/// It sends one request at a time.
package final class ServerNetwork {
    let setup: ServerSetup
    let server: ServerUnderTest
    let view: ServerView
    /// The faults of deliveries and of the server, in the order in which they happened, without repetitions.
    private(set) var faults: [(product: String?, words: String)] = []
    /// The requests and their answers, and the steps.
    package private(set) var exchanges: [ServerExchange] = []
    /// The seconds after which a server that has missed something is started once more.
    ///
    /// The history of notifications in the sandbox goes back 30 days.
    private static let reach: TimeInterval = 20 * 86_400
    /// The highest number of test notifications for which a server asks.
    private static let mostTests = 100
    let store: SandboxStore
    private let wire: NotificationWire
    private let reader: TransactionReader
    private var losesAttempt = false
    /// The fault of the next question for a retention message; nil for none.
    var questionFault: RetentionFault?
    private var downUntil: Date?
    private var tests = 0
    /// The date since which the server has missed a notification that is lost for good; nil for none.
    private var missedSince: Date?
    /// The date of the next delivery; nil if none is planned.
    private var due: Date?
    /// The most seconds by which a fault has delayed a notification.
    private var lateness: TimeInterval = 0
    /// The date at which everything has arrived that will, once the faults have ended.
    ///
    /// Renewals may be due for ever at a server that takes none.
    private var end = Date.distantFuture
    /// The date since which an order may reach the store when somebody else has signed in; nil for none.
    private var keepsOrdersSince: Date?

    package init(_ server: ServerUnderTest, _ store: SandboxStore) {
        (self.server, self.store, setup) = (server, store, server.setup)
        view = ServerView(store)
        wire = NotificationWire(view)
        reader = TransactionReader(store)
    }

    private var now: Date { store.clock.now }

    /// Puts the store behind the API, and has the server forget everything.
    package func begin() throws {
        try view.beginNotifications()
        server.api.serve(store, view)
        (server.isDown, server.plannedKill) = (false, nil)
        let form = setup.server.reset
        let outcome = try server.send("POST", filled(form), form: form, body: Data("{}".utf8), at: now)
        guard case .answered(let response) = outcome, response.status / 100 == 2 else {
            throw ServerViolation(
                rule: "reset",
                sentence: "the server does not forget everything: POST \(setup.server.reset) -> \(words(outcome))"
            )
        }
        _ = server.api.takeRequests()
    }

    /// Calls a body, and throws a fault of the server as the violation that it is.
    package func judging<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let fault as ServerUnderTest.Fault {
            throw ServerViolation(rule: fault.rule, sentence: fault.sentence + faultWords(about: nil) + fault.output)
        }
    }

    /// Notes a step, or a request that does not reach the server and has no other answer.
    package func note(_ what: String, answer: String? = nil) {
        exchanges.append(ServerExchange(date: now, what: what, answer: answer))
    }

    /// Notes that the answer to the last request to the server does not arrive.
    func noteLostAnswer(at place: Int) { exchanges[place].answer? += ", which is lost" }

    func note(fault words: String, about product: String? = nil) {
        if !faults.contains(where: { $0.words == words && $0.product == product }) { faults.append((product, words)) }
    }

    // MARK: Faults

    /// Delivers the next notification with a fault.
    package func add(_ fault: DeliveryFault) {
        if case .late(let seconds) = fault { lateness = max(lateness, seconds) }
        wire.add(fault)
    }

    /// Loses the next attempt to deliver a notification.
    package func loseNextAttempt() { losesAttempt = true }

    /// Kills the server, which the next request starts again.
    package func kill() {
        server.kill()
        note(fault: "the server was killed")
    }

    /// Kills the server when it has answered a request after some others.
    package func killDuringRequest(after count: Int) { server.plannedKill = .after(count) }

    /// Kills the server when it next asks the API to answer a request.
    func killAsking() { server.plannedKill = .asking }

    /// Keeps the server from running for some hours.
    package func goDown(hours: Int) {
        kill()
        server.isDown = true
        downUntil = max(downUntil ?? .distantPast, now + Double(hours) * 3600)
    }

    func failAPI(_ code: Int, times: Int) {
        server.api.fail(code, times: times)
        note(fault: "the API failed")
    }

    /// Ends all faults.
    package func endFaults() {
        note("# the faults end")
        server.api.endFaults()
        (server.isDown, server.plannedKill, downUntil) = (false, nil, nil)
        losesAttempt = false
        questionFault = nil
        wire.endFaults()
        end = now + NotificationOutbox.productionDelays.reduce(lateness, +)
    }

    // MARK: Deliveries

    /// The next date at which a notification is due or the server is back; nil if there is none, or none before the end.
    package var nextDate: Date? { [nextDelivery, downUntil].compactMap(\.self).filter { $0 > now }.min() }

    /// The date of the next delivery; nil if none is planned before the end.
    var nextDelivery: Date? { due.flatMap { $0 <= end ? $0 : nil } }

    /// Lets a server that was down start again, and starts one that has missed something once more.
    package func bringUp() throws {
        if let date = downUntil, date <= now {
            downUntil = nil
            server.isDown = false
        }
        if let date = missedSince, now.timeIntervalSince(date) > Self.reach, !server.isDown { try restart() }
    }

    /// Starts a server that has missed something once more.
    package func catchUp() throws { if missedSince != nil { try restart() } }

    /// Starts the server once more, without faults, so that it can ask the API for what it has missed.
    private func restart() throws {
        note("# the server is started once more")
        missedSince = nil
        guard server.isStarted else { return }
        server.api.endFaults()
        server.kill()
        try server.start(at: now)
        noteRequests()
    }

    /// Delivers everything that is due.
    package func deliver() throws { due = try wire.deliver(deliver) }

    private func deliver(_ post: NotificationWire.Post) throws -> (result: SendAttemptResult, status: Int?) {
        let outcome = try attempt(post)
        // No attempt follows: the server has to ask for it.
        if post.isLast, outcome.result != .success { missedSince = missedSince ?? now }
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
        if let fault = Self.words(post.manner) { note(fault: "\(notification.type) \(fault)", about: product) }
        if notification.type == "TEST" { try noteTest() }
        if post.body == nil { missedSince = missedSince ?? now }
        guard let body = post.body, !losesAttempt || post.isForged else {
            if post.body != nil {
                losesAttempt = false
                note(fault: "the first \(notification.type) was lost", about: product)
            }
            exchanges.append(ServerExchange(date: now, what: what, answer: "lost"))
            return (.noResponse, nil)
        }
        let outcome = try send("POST", setup.server.notifications, body, what: what, isForged: post.isForged)
        guard case .answered(let response) = outcome else {
            note(
                fault: outcome == .down
                    ? "\(notification.type) came while the server was down" : "the server was killed",
                about: product
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

    // MARK: Requests

    /// Sends a request to the server, and notes it.
    func send(
        _ method: String,
        _ form: String,
        of customer: SimulatedCustomer? = nil,
        _ body: Data?,
        what: String,
        isForged: Bool = false
    ) throws -> ServerUnderTest.Outcome {
        let place = exchanges.count
        exchanges.append(ServerExchange(date: now, what: what, answer: "no answer"))
        let outcome = try server.send(method, filled(form, customer), form: form, body: body, at: now)
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
                date: now,
                what: "  the server asks the API: \($0.line)",
                answer: $0.status.map { "\($0)" } ?? "the server was killed before"
            )
        }
        return requests
    }

    func words(_ outcome: ServerUnderTest.Outcome) -> String {
        switch outcome {
        case .answered(let response):
            let text = String(decoding: response.body.prefix(200), as: UTF8.self).replacing("\n", with: " ")
            return text.isEmpty ? "\(response.status)" : "\(response.status) \(text)"
        case .killed: return "the server was killed, and its answer is lost"
        case .down: return "the server is down"
        }
    }

    func filled(_ text: String, _ customer: SimulatedCustomer? = nil) -> String {
        text.replacing("{customer}", with: customer?.identifier ?? "")
            .replacing("{now}", with: "\(ServerUnderTest.milliseconds(now))")
    }

    // MARK: An app

    /// The outcome of an app's request to the server.
    package enum AppRequestOutcome {
        case answered(status: Int, body: Data)
        /// The server was killed after it received the request; its answer is lost.
        case killed
        /// The server does not run.
        case down
    }

    /// Sends a request of an app.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - path: the path after the server's base URL.
    ///   - body: the body; nil for none.
    ///   - isDisturbed: whether the server may be killed during the request.
    /// - Returns: the outcome.
    /// - Throws: a fault of the server, or a ``ServerViolation``.
    package func send(_ method: String, _ path: String, _ body: Data?, isDisturbed: Bool) throws -> AppRequestOutcome {
        let plannedKill = server.plannedKill
        if !isDisturbed { server.plannedKill = nil }
        defer { if !isDisturbed { server.plannedKill = plannedKill } }
        switch try send(method, path, body, what: "the app: \(method) \(path)") {
        case .answered(let response): return .answered(status: response.status, body: response.body)
        case .killed: return .killed
        case .down: return .down
        }
    }

    /// Notes a request of the app that is lost.
    package func noteLostRequest(_ what: String) {
        note("the app: \(what)", answer: "lost before it arrived")
        note(fault: "a request of the app was lost")
    }

    /// Notes that orders may reach the store later than the app makes them.
    package func noteKeptOrders() { keepsOrdersSince = keepsOrdersSince ?? now }

    /// Notes that the answer to the last request is lost.
    package func noteLostAnswer(to what: String) {
        guard let place = exchanges.lastIndex(where: { $0.what == "the app: \(what)" }) else { return }
        noteLostAnswer(at: place)
        note(fault: "an answer to the app was lost")
    }

    /// Checks that the server has credited a transaction that the app finishes.
    ///
    /// - Returns: whether the server could be asked: it is not started for the question.
    /// - Throws: a ``ServerViolation`` if it has not.
    package func checkCredit(of transaction: String, to customers: [SimulatedCustomer]) throws -> Bool {
        let transactions = try reader.transactions()
        let account = transactions.last { $0.id == transaction }?.account
        let unjudged = try productsBoughtForOthers(transactions, customers)
        let judge = ServerJudge(setup, store, transactions, at: now, without: unjudged)
        guard let customer = customers.first(where: { $0.name == account }),
            let product = judge.productToCredit(of: transaction, to: customer)
        else { return true }
        guard server.isRunning else { return false }
        let plannedKill = server.plannedKill
        server.plannedKill = nil
        defer { server.plannedKill = plannedKill }
        let json = try access(of: customer)
        guard let objection = judge.objection(toFinishing: transaction, of: product, in: json, customer) else {
            return true
        }
        throw ServerViolation(
            rule: "finish \(product)",
            sentence: "the app finished transaction #\(transaction) of \(product), \(objection)"
                + faultWords(about: product)
        )
    }

    /// Returns the products that one customer has ordered and another one has paid for.
    ///
    /// A payment queue keeps an order while the device is offline, and sends it when somebody else may have signed in.
    /// Whose the purchase is then, only the app's server can decide. Any other token that is not the buyer's is the app's own
    /// affair.
    private func productsBoughtForOthers(
        _ transactions: [SandboxTransaction],
        _ customers: [SimulatedCustomer]
    ) throws -> Set<String> {
        guard customers.count > 1, let keepsOrdersSince else { return [] }
        let identifiers = Dictionary(uniqueKeysWithValues: customers.map { ($0.name, $0.identifier) })
        var products: Set<String> = []
        for transaction in transactions
        where transaction.isSale && transaction.sharedBy == nil && transaction.date >= keepsOrdersSince
            && !products.contains(transaction.productIdentifier)
        {
            guard let token = try view.transaction(transaction.id)?.content.appAccountToken,
                let name = transaction.account
            else { continue }
            if identifiers[name] != token, identifiers.values.contains(token) {
                products.insert(transaction.productIdentifier)
            }
        }
        return products
    }

    // MARK: The end

    /// Compares what the server says with the store.
    ///
    /// - Parameters:
    ///   - customers: the customers.
    ///   - isOfApp: whether an app uploads, which need not tell the server of a purchase that was refunded.
    /// - Throws: a ``ServerViolation`` for the first difference.
    package func judge(_ customers: [SimulatedCustomer], isOfApp: Bool = false) throws {
        let transactions = try reader.transactions()
        let judge = ServerJudge(
            setup,
            store,
            transactions,
            at: now,
            mayMissRefunded: isOfApp,
            without: isOfApp ? try productsBoughtForOthers(transactions, customers) : []
        )
        for customer in customers {
            guard let difference = judge.difference(in: try access(of: customer), of: customer) else { continue }
            throw ServerViolation(
                rule: difference.rule,
                sentence: difference.sentence + faultWords(about: difference.product)
            )
        }
    }

    /// Returns what the server says of a customer.
    private func access(of customer: SimulatedCustomer) throws -> Any {
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
        return json
    }

    private func faultWords(about product: String?) -> String {
        let words = faults.filter { $0.product == nil || product == nil || $0.product == product }.map(\.words)
        return words.isEmpty ? "" : " (\(words.prefix(3).joined(separator: "; ")))"
    }
}

/// A request and its answer in the life of a server, or a step of that life.
package struct ServerExchange: Hashable, Sendable {
    /// The date by the store's clock.
    let date: Date
    /// The request or the step.
    let what: String
    /// The answer; nil for a step.
    var answer: String?

    /// The exchange in a line.
    package var line: String { "\(date.formatted(.iso8601))  \(what)\(answer.map { " -> \($0)" } ?? "")" }
}

/// A broken rule in the life of a server.
package struct ServerViolation: Error {
    /// The identity of the rule, independent of the numbers in the sentence.
    package let rule: String
    package let sentence: String
}
