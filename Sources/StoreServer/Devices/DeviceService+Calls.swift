import Foundation
import StoreCore
import StoreRemote

extension DeviceService {
    /// Answers a request that is answered at once.
    func answer(_ call: DeviceCall, on device: SandboxDevice, _ body: Data) throws -> HTTPResponse {
        switch call {
        case .hello, .updates: throw DeviceRefusal.absent
        case .submit: return try submit(body, on: device)
        case .acknowledge:
            device.acknowledge(through: try Self.read(body))
            return try Self.json(Nothing())
        case .products:
            let identifiers: [String] = try Self.read(body)
            try Self.expectFew(identifiers.count)
            return try Self.json(try Self.reply { device.products(Set(identifiers), reply: $0) })
        case .refreshReceipt:
            let properties: ReceiptProperties = try Self.read(body)
            try Self.done { device.refreshReceipt(properties, reply: $0) }
            return try Self.json(ReceiptUpdate(of: device))
        case .content: return content(try Self.read(body), of: device)
        case .changePromotion:
            let change: PromotionChange = try Self.read(body)
            if case .order(let identifiers) = change { try Self.expectFew(identifiers.count) }
            try Self.done { device.changePromotion(change, reply: $0) }
            return try Self.json(Nothing())
        case .enterCode:
            try Self.done { device.presentCodeRedemptionSheet(reply: $0) }
            return try Self.json(Nothing())
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
        device.submit(commands) { reply in answer.withLock { $0 = $0 ?? reply } }
        switch answer.withLock({ $0 }) {
        case .taken: return try Self.json(Nothing())
        case .tryLater(let failure): throw DeviceRefusal(503, failure)
        // The device finds out which they are.
        case .refused(let commands): throw DeviceRefusal(422, commands.first?.failure ?? Self.noAnswer)
        case nil: throw DeviceRefusal(503, Self.noAnswer)
        }
    }

    /// Returns what no queue sends, in a sentence; nil for a submission that is in order.
    private static func mistake(in commands: [StoreCommand]) -> String? {
        guard (1...DeviceProtocol.mostCommands).contains(commands.count) else {
            return "a submission has 1 to \(DeviceProtocol.mostCommands) commands"
        }
        // After a relaunch, those of an earlier journal come first.
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

    /// The seconds that a piece of a slow download may take.
    private static let longestPiece: TimeInterval = 5

    /// Answers with a line, and the bytes behind it, as soon as the device's pace has them.
    private func content(_ request: ContentRequest, of device: SandboxDevice) -> HTTPResponse {
        var request = request
        request.limit = min(request.limit, DeviceProtocol.contentSize)
        // A piece comes when the last of its bytes would: sooner than a device gives it up.
        if let rate = device.downloadPace.bytesPerSecond {
            let size = min(rate * Self.longestPiece, Double(DeviceProtocol.contentSize))
            request.limit = min(request.limit, max(1, Int(size)))
        }
        let stream = HTTPStream(capacity: 2 * DeviceProtocol.contentSize)
        device.fetchContent(request) { result in
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

    /// Returns an answer, which a device gives before it returns.
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
