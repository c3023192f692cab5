import Foundation
import StoreContract
import StoreCore
import StoreRemote
import StoreScenario

/// The service through which the queues of remote devices use a store over HTTP.
///
/// A device sends its token with each request. A response with a status other than 200 contains a `StoreFailure` as
/// JSON.
package final class DeviceService: Sendable {
    /// The limits for devices, in addition to the limits for every request.
    package struct Limits: Hashable, Sendable {
        /// The maximum number of update streams that a token may have open.
        package var streams = 16
        /// The seconds between two heartbeats on a stream.
        package var heartbeat: TimeInterval = 5
        /// The maximum size of a request's body, in bytes, as the server enforces it.
        package var bodySize = HTTPLimits().bodySize
        /// The seconds for which changes of the store are gathered before the streams of other devices check for them.
        package var calm: TimeInterval = 0.05

        package init() {}
    }

    let store: SandboxStore
    let versions: VersionRange
    private let log: StoreLog
    private let streams: DeviceStreams
    /// The injectors, by the names of their devices.
    private let injectors = Locked<[String: FaultInjector]>([:])

    /// Creates the service of a store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - versions: the supported versions of the protocol.
    ///   - limits: the limits.
    ///   - log: the log for errors of the store's ledger and signers, which devices are not told.
    package init(
        _ store: SandboxStore,
        versions: VersionRange = DeviceProtocol.versions,
        limits: Limits = Limits(),
        log: StoreLog = .standardError
    ) {
        (self.store, self.versions, self.log) = (store, versions, log)
        streams = DeviceStreams(limits)
        store.follow(streams)
    }

    /// Returns the response to a request, which may have any content.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - path: the parts of the request's path after the protocol's root.
    /// - Returns: the response, whose body may be a stream.
    package func respond(to request: HTTPRequest, _ path: ArraySlice<String>) -> HTTPResponse {
        ConcealedErrors.logged(in: log) { answer(request, path) }
    }

    private func answer(_ request: HTTPRequest, _ path: ArraySlice<String>) -> HTTPResponse {
        do {
            guard let token = Self.token(of: request), let device = store.device(with: token) else {
                throw DeviceRefusal.unauthorized
            }
            let call = try call(path)
            let method = call == .updates ? "GET" : "POST"
            guard request.method == method else {
                var response = DeviceRefusal.wrongMethod(method).response
                response.headers["Allow"] = method
                return response
            }
            switch call {
            case .hello: return try greet(device, request.body)
            case .updates: return try listen(device, token, request)
            default: return try answer(call, on: device, request.body)
            }
        } catch {
            return (error as? DeviceRefusal ?? DeviceRefusal(422, StoreFailure(ofStore: error))).response
        }
    }

    /// Returns the kind of request that a path names.
    private func call(_ path: ArraySlice<String>) throws -> DeviceCall {
        if path.elementsEqual([DeviceCall.hello.rawValue]) { return .hello }
        guard path.count == 2, let version = path.first.flatMap({ Int($0) }) else { throw DeviceRefusal.absent }
        guard versions.contains(version) else {
            throw DeviceRefusal.otherVersion(versions, VersionRange(oldest: version, newest: version))
        }
        guard let call = path.last.flatMap(DeviceCall.init), call != .hello else { throw DeviceRefusal.absent }
        return call
    }

    private func greet(_ device: SandboxDevice, _ body: Data) throws -> HTTPResponse {
        let greeting: Greeting = try Self.read(body)
        guard let version = versions.common(with: greeting.versions) else {
            throw DeviceRefusal.otherVersion(versions, greeting.versions)
        }
        let welcome = Welcome(
            version: version,
            heartbeat: streams.limits.heartbeat,
            bodySize: streams.limits.bodySize,
            status: DeviceStatus(of: device),
            receipt: greeting.wantsReceipts ? ReceiptUpdate(of: device) : nil
        )
        return try Self.json(welcome)
    }

    private func listen(
        _ device: SandboxDevice,
        _ token: DeviceToken,
        _ request: HTTPRequest
    ) throws -> HTTPResponse {
        func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
        guard let journal = value("journal").flatMap({ JournalID($0) }) else {
            throw DeviceRefusal.bad("a stream of updates is for a journal: 16 hexadecimal digits")
        }
        let position = value("position").map { Int($0) }
        let part = value("part").map { Int($0) }
        // Refuses invalid numbers instead of ignoring them, and also a part without a position.
        if case .some(nil) = position { throw DeviceRefusal.bad("a position is a number") }
        if case .some(nil) = part { throw DeviceRefusal.bad("a part is a number") }
        if part != nil, position == nil { throw DeviceRefusal.bad("a part needs a position") }
        let cursor = (position ?? nil).map { UpdateCursor(position: $0, part: part ?? nil) }
        let stream = streams.begin(
            DeviceStreams.Subscription(
                store: store,
                device: device,
                injector: injector(of: device),
                token: token,
                journal: journal,
                cursor: cursor,
                wantsReceipts: value("receipts") == "true",
                log: log
            )
        )
        guard let stream else { throw DeviceRefusal.tooManyStreams }
        return HTTPResponse(
            headers: ["Content-Type": "application/jsonl", "Cache-Control": "no-store"],
            stream: stream
        )
    }

    // MARK: Bodies

    /// Returns the token in a request's header.
    private static func token(of request: HTTPRequest) -> DeviceToken? {
        guard let header = request.headers["authorization"], header.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return DeviceToken(String(header.dropFirst(7)))
    }

    /// Decodes a body, which may have any content.
    static func read<Value: Decodable>(_ body: Data) throws -> Value {
        do {
            return try UntrustedJSON.decode(Value.self, from: body)
        } catch {
            throw DeviceRefusal.bad("the request is not what this protocol's version has at this place")
        }
    }

    static func json(_ value: some Encodable) throws -> HTTPResponse {
        HTTPResponse(json: try JSONEncoder().encode(value))
    }
}

extension DeviceService: DeviceConnections {
    /// Returns the injector between a device's queues and the store, which has no rules until a command adds some.
    ///
    /// A request whose call or answer a fault delays or loses is answered at once, as if the store had not answered in
    /// time: a thread of the server does not wait for the store's clock. Only the bytes of downloads are waited for.
    package func injector(of device: SandboxDevice) -> FaultInjector {
        // Read before the lock is taken, since it takes the store's.
        let name = device.name
        return injectors.withLock { injectors in
            if let injector = injectors[name] { return injector }
            let injector = FaultInjector(ServedDevice(device))
            injectors[name] = injector
            return injector
        }
    }

    /// Ends all faults; messages that one of them has delayed are lost.
    ///
    /// A message that waits retains its injector, and so the store, until the store's clock reaches its time, which a
    /// clock that nobody moves never does.
    func stop() {
        for injector in injectors.withLock({ Array($0.values) }) where !injector.isIdle {
            injector.removeAllRules()
            injector.cut()
        }
    }
}

/// A device whose look-ups are answered at once, also where they hang.
private final class ServedDevice: ForwardingBackend {
    let backend: any StoreBackend
    private let device: SandboxDevice

    init(_ device: SandboxDevice) { (backend, self.device) = (device, device) }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        // A thread of the server does not wait for the store's clock.
        reply(device.products(identifiers))
    }
}

extension DeviceStatus {
    /// Reads the values that a device's services return synchronously.
    init(of device: SandboxDevice) {
        let promotions = device.datedPromotionOverrides
        self.init(
            canMakePayments: device.canMakePayments,
            storefront: device.storefront,
            promotionOverrides: promotions.overrides,
            promotionPosition: promotions.position,
            isPriceConsentPending: device.isPriceConsentPending,
            deviceVerificationID: device.deviceVerificationID,
            ageRatingCode: device.ageRatingCode
        )
    }
}

extension ReceiptUpdate {
    /// Reads a device's app receipt.
    ///
    /// The result is never nil, since a new reader reports every receipt as changed.
    init?(of device: SandboxDevice) {
        var reader = AppReceiptReader(device)
        self.init(reader.read())
    }

    /// Creates the update from a reading of a device's app receipt; nil if the receipt is unchanged.
    init?(_ reading: AppReceiptReader.Reading) {
        switch reading {
        case .unchanged: return nil
        case .absent(let position): self.init(nil, position: position)
        case .changed(let receipt, let position): self.init(receipt, position: position)
        }
    }
}

extension DeviceService {
    /// Returns the response to a request other than the greeting and the request for updates.
    func answer(_ call: DeviceCall, on device: SandboxDevice, _ body: Data) throws -> HTTPResponse {
        switch call {
        case .hello, .updates: throw DeviceRefusal.absent
        case .submit: return try submit(body, on: device)
        case .acknowledge:
            injector(of: device).acknowledge(through: try Self.read(body))
            return try Self.json(Nothing())
        case .products:
            let identifiers: [String] = try Self.read(body)
            try Self.expectFew(identifiers.count)
            let answer: ProductsAnswer = try Self.reply {
                injector(of: device).products(Set(identifiers), reply: $0)
            }
            return try Self.json(answer)
        case .refreshReceipt:
            let properties: ReceiptProperties = try Self.read(body)
            let receipts = injector(of: device).services.receipts ?? device
            try Self.done { receipts.refreshReceipt(properties, reply: $0) }
            return try Self.json(ReceiptUpdate(of: device))
        case .content: return content(try Self.read(body), of: device)
        case .changePromotion:
            let change: PromotionChange = try Self.read(body)
            switch change {
            case .order(let identifiers): try Self.expectFew(identifiers.count)
            case .only(let identifiers, let visibility):
                try Self.expectFew(max(identifiers.count, visibility?.count ?? 0))
            case .visibility: break
            }
            try Self.done { device.changePromotion(change, reply: $0) }
            let promotions = device.datedPromotionOverrides
            return try Self.json(PromotionUpdate(promotions.overrides, position: promotions.position))
        case .enterCode:
            return try Self.json(
                CodeRedemption(transaction: Self.reply { device.presentCodeRedemptionSheet(reply: $0) })
            )
        case .externalPurchase: return try Self.json(try device.external(try Self.read(body)))
        case .showConsent:
            device.showPriceConsent()
            return try Self.json(Nothing())
        case .decideStorefront:
            let decision: StorefrontDecision = try Self.read(body)
            device.decideAfterStorefrontChange(
                transaction: decision.transaction,
                shouldContinue: decision.shouldContinue
            )
            return try Self.json(Nothing())
        case .transactions, .subscriptions, .appTransaction, .synchronize, .eligibility, .requestRefund:
            return try answerAboutHistory(call, on: device, body)
        }
    }

    private func answerAboutHistory(_ call: DeviceCall, on device: SandboxDevice, _ body: Data) throws -> HTTPResponse {
        switch call {
        case .transactions:
            var query: HistoryQuery = try Self.read(body)
            query.limit = min(max(query.limit, 1), DeviceProtocol.mostTransactions)
            if case .transactions(let identifiers) = query.selection { try Self.expectFew(identifiers.count) }
            let page = try Self.reply { device.transactions(query, reply: $0) }
            return try Self.json(try HistoryText(page))
        case .subscriptions:
            let query: SubscriptionQuery = try Self.read(body)
            return try Self.json(try Self.reply { device.subscriptions(query, reply: $0) }.map(SubscriptionText.init))
        case .appTransaction:
            return try Self.json(try SignedText(try Self.reply { device.appTransaction(reply: $0) }))
        case .eligibility:
            let group: String = try Self.read(body)
            return try Self.json(try Self.reply { device.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) })
        case .requestRefund:
            let transaction: String = try Self.read(body)
            return try Self.json(try Self.reply { device.requestRefund(ofTransaction: transaction, reply: $0) })
        default:
            try Self.done { device.synchronize(reply: $0) }
            return try Self.json(Nothing())
        }
    }

    // MARK: Commands

    private func submit(_ body: Data, on device: SandboxDevice) throws -> HTTPResponse {
        let commands: [StoreCommand] = try Self.read(body)
        if let mistake = Self.mistake(in: commands) { throw DeviceRefusal.bad(mistake) }
        let answer = Locked<SubmissionReply?>(nil)
        injector(of: device).submit(commands) { reply in answer.withLock { $0 = $0 ?? reply } }
        switch answer.withLock({ $0 }) {
        case .taken: return try Self.json(Nothing())
        case .tryLater(let failure): throw DeviceRefusal(503, failure)
        // The device finds out which commands are refused by sending ever smaller parts of the submission.
        case .refused(let commands): throw DeviceRefusal(422, commands.first?.failure ?? Self.noAnswer)
        case nil: throw DeviceRefusal(503, Self.noAnswer)
        }
    }

    /// Returns a sentence that describes the error in a submission that no queue would send; nil for a valid
    /// submission.
    private static func mistake(in commands: [StoreCommand]) -> String? {
        guard (1...DeviceProtocol.mostCommands).contains(commands.count) else {
            return "a submission has 1 to \(DeviceProtocol.mostCommands) commands"
        }
        // Commands of several journals may be mixed: after a relaunch, the commands of the earlier journal come first.
        var last: [JournalID: Int] = [:]
        for id in commands.map(\.id) {
            guard id.number > last.updateValue(id.number, forKey: id.journal) ?? 0 else {
                return "the commands of a journal are in the order of their numbers, from 1"
            }
        }
        for case .purchase(let payment) in commands.map(\.action)
        where payment.quantity < 1 || payment.productIdentifier.isEmpty {
            return "a payment has a product and a quantity from 1"
        }
        return nil
    }

    // MARK: Content

    /// The maximum time for the delivery of one part at a slow download pace, in seconds.
    private static let longestPiece: TimeInterval = 5

    /// Responds with a line and the bytes, as soon as the device's download pace allows.
    private func content(_ request: ContentRequest, of device: SandboxDevice) -> HTTPResponse {
        var request = request
        request.limit = min(request.limit, DeviceProtocol.contentSize)
        // A part is delivered when its last byte is due. At a slow pace the parts are therefore small, to prevent a
        // timeout of the device.
        if let rate = device.downloadPace.bytesPerSecond {
            let size = min(rate * Self.longestPiece, Double(DeviceProtocol.contentSize))
            request.limit = min(request.limit, max(1, Int(size)))
        }
        let stream = HTTPStream(capacity: 2 * DeviceProtocol.contentSize)
        let service = injector(of: device).services.content ?? device
        service.fetchContent(request) { result in
            var line = UpdateLine()
            var bytes = Data()
            switch result {
            case .success(let found): bytes = found
            case .failure(let failure): line.failure = failure
            }
            stream.send(((try? JSONEncoder().encode(line)) ?? Data()) + Data("\n".utf8) + bytes)
            stream.finish()
        }
        return HTTPResponse(headers: ["Content-Type": "application/octet-stream"], stream: stream)
    }

    // MARK: Replies

    private static var noAnswer: StoreFailure { .network(.timedOut, "the store has not answered yet") }

    private static func expectFew(_ count: Int) throws {
        guard count <= DeviceProtocol.mostIdentifiers else {
            throw DeviceRefusal.bad("at most \(DeviceProtocol.mostIdentifiers) identifiers are answered at a time")
        }
    }

    /// Calls a service that replies before it returns, and returns the reply.
    private static func reply<Answer: Sendable>(
        _ body: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) throws -> Answer {
        let answer = Locked<Result<Answer, StoreFailure>?>(nil)
        body { reply in answer.withLock { $0 = $0 ?? reply } }
        return try answer.withLock { $0 ?? .failure(noAnswer) }.get()
    }

    private static func done(_ body: (@escaping @Sendable (StoreFailure?) -> Void) -> Void) throws {
        let _: Bool = try reply { reply in body { reply($0.map(Result.failure) ?? .success(true)) } }
    }
}

/// The refusal of a device's request: the response's status, and the failure in its body.
struct DeviceRefusal: Error {
    let status: Int
    let failure: StoreFailure

    init(_ status: Int, _ failure: StoreFailure) { (self.status, self.failure) = (status, failure) }

    var response: HTTPResponse {
        // A failure can always be encoded, since it consists of a name, a number and a text.
        var response = HTTPResponse(status, json: (try? JSONEncoder().encode(failure)) ?? Data())
        if status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        return response
    }

    /// The refusal of a token that was revoked or belongs to no device.
    static let unauthorized = DeviceRefusal(
        401,
        .network(.userAuthenticationRequired, "the device's token is none of this store's, or has been revoked")
    )
    static let absent = DeviceRefusal(404, .network(.resourceUnavailable, "there is nothing here"))
    static let tooManyStreams = DeviceRefusal(
        429,
        .network(.resourceUnavailable, "too many queues of this token are connected already")
    )

    static func wrongMethod(_ method: String) -> DeviceRefusal {
        DeviceRefusal(405, .network(.badServerResponse, "the method here is \(method)"))
    }

    static func bad(_ sentence: String) -> DeviceRefusal { DeviceRefusal(400, .network(.badServerResponse, sentence)) }

    static func otherVersion(_ store: VersionRange, _ device: VersionRange) -> DeviceRefusal {
        DeviceRefusal(426, .otherVersion(of: store, here: device))
    }
}
