import Foundation
import StoreCore

/// A fault of a question to the server under test for a retention message.
enum RetentionFault: String, Hashable, Sendable, CaseIterable {
    /// The question does not arrive.
    case lost
    /// The answer comes after the App Store's limit.
    case late
    /// The answer breaks off.
    case cut

    /// The fault in words, after the question.
    var words: String {
        switch self {
        case .lost: "does not arrive"
        case .late: "is answered too late"
        case .cut: "has an answer that breaks off"
        }
    }
}

// Customers who are about to cancel, and what the server under test chooses for them to see.
extension ServerNetwork {
    /// The language of all customers.
    private static let locale = "en-US"

    /// Adds a message to the store, which is the default for all subscriptions.
    func addRetentionMessage() throws {
        let message = RetentionMessage(header: "Stay", body: "Your subscription goes on.")
        try store.addRetentionMessage(message)
        for product in setup.products where product.kind.renews {
            try store.setDefaultRetentionMessage(message.identifier, of: product.identifier, locale: Self.locale)
        }
        try store.setRetentionURL("https://example.com/retention")
    }

    /// Shows a customer the page on which a subscription can be canceled, for which the server is asked.
    ///
    /// - Returns: whether there is a subscription to cancel.
    /// - Throws: a fault of the server, or a ``ServerViolation`` if there is no page, or none with the choice of a server
    ///   that was not disturbed.
    func showCancellation(to account: SandboxAccount, _ group: String) throws -> Bool {
        let wire = RetentionWire { [self] in try answer(to: $0, about: account) }
        let client = RealtimeClient(view, transport: wire)
        store.connect(client)
        defer { store.disconnect(client) }
        let shown = Locked<Result<CancellationPage, any Error>?>(nil)
        // The wire answers before this returns.
        account.viewCancellation(inGroup: group, locale: Self.locale) { page in shown.withLock { $0 = page } }
        if let error = wire.error { throw error }
        guard let page = try? shown.withLock({ $0 })?.get() else {
            guard wire.isAsked else { return false }
            throw ServerViolation(
                rule: "retention page",
                sentence: "customer \(account.name) is shown no page on which \(group) can be canceled"
            )
        }
        guard page.message != nil, wire.isDisturbed || page.refusal == nil else {
            throw ServerViolation(
                rule: "retention \(page.refusal ?? "")",
                sentence:
                    "customer \(account.name) is about to cancel \(page.productIdentifier), and is not shown what the "
                    + "server chooses: \(page.refusal ?? "there is no message")"
            )
        }
        return true
    }

    /// Returns the server's answer to a question.
    private func answer(to body: Data, about account: SandboxAccount) throws -> RetentionWire.Answer {
        guard let form = setup.server.retention else { return .init(result: .other) }
        let what = "question for a retention message for customer \(account.name)"
        let fault = questionFault.take()
        if let fault { note(fault: "a question for a retention message \(fault.words)") }
        if fault == .lost {
            note(what, answer: "lost")
            return .init(result: .noResponse)
        }
        guard case .answered(let response) = try send("POST", form, body, what: what) else {
            return .init(result: .prematureClose)
        }
        switch fault {
        case .late: return .init(result: .timedOut)
        case .cut: return .init(result: .success, status: 200, body: response.body.dropLast())
        case .lost, nil: break
        }
        // A server may fail while the API does.
        let isSuccess = response.status / 100 == 2
        return .init(
            result: isSuccess ? .success : .unsuccessfulStatus,
            status: response.status,
            body: response.body,
            isDisturbed: response.status >= 500
        )
    }
}

/// The way of questions for retention messages to the server under test, on the thread of a life.
private final class RetentionWire: NotificationTransport, @unchecked Sendable {  // unchecked: a life uses one thread
    struct Answer {
        let result: SendAttemptResult
        var status: Int?
        var body = Data()
        /// Whether the server had no chance to choose.
        var isDisturbed: Bool

        init(result: SendAttemptResult, status: Int? = nil, body: Data = Data(), isDisturbed: Bool = true) {
            (self.result, self.status, self.body, self.isDisturbed) = (result, status, body, isDisturbed)
        }
    }

    /// Whether a question was asked.
    private(set) var isAsked = false
    private(set) var isDisturbed = false
    /// The fault of the server, or the violation, at the question.
    private(set) var error: (any Error)?
    private let answer: (Data) throws -> Answer

    init(_ answer: @escaping (Data) throws -> Answer) { self.answer = answer }

    func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
        reply(.other, nil)
    }

    func ask(
        _ body: Data,
        at url: URL,
        timeout: TimeInterval,
        reply: @escaping @Sendable (SendAttemptResult, Int?, Data) -> Void
    ) {
        isAsked = true
        do {
            let answer = try answer(body)
            isDisturbed = answer.isDisturbed
            reply(answer.result, answer.status, answer.body)
        } catch {
            self.error = error
            reply(.other, nil, Data())
        }
    }
}
