import Foundation
import StoreCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A device of a sandbox store that runs in another process or on another machine.
///
/// ```swift
/// let store = RemoteStore(url: url, token: token)
/// let queue = SKPaymentQueue(backend: store.asStoreBackend())
/// ```
///
/// The server is a `StoreServer`, and `SandboxDevice.makeToken()` returns the device's token. Nothing is sent before
/// the first request. Queues retain the commands that the store has not acknowledged, send them again after a pause,
/// and reconnect from their cursors. A purchase thus survives network failures, and is charged once.
///
/// All services are offered, and fail with the store's own failure if the store refuses. Synchronous values, such as
/// ``canMakePayments`` and ``storefront``, are those that the store reported last. It reports them in the first
/// exchange and on the open stream of each connected queue. Any thread may call any member.
public final class RemoteStore: AsyncStoreBackend {
    private let sender: RequestSender
    /// The sender of requests for content, whose responses are slow: a session opens only a few connections to a host.
    private let downloads: RequestSender
    private let configuration: Configuration
    let known = KnownAnswers()
    private let greeting = Locked<Task<Welcome, any Error>?>(nil)

    /// Creates a remote store without sending a request.
    ///
    /// - Parameters:
    ///   - url: the server's URL, see `StoreServer.url`.
    ///   - token: the device's token, from `SandboxDevice.makeToken()`.
    ///   - configuration: the settings.
    public init(url: URL, token: DeviceToken, configuration: Configuration = Configuration()) {
        let destination = RemoteDestination(url: url, token: token, timeout: configuration.timeout)
        (sender, downloads) = (RequestSender(destination), RequestSender(destination))
        self.configuration = configuration
    }

    /// The clock for the pauses of queues, as configured.
    public var clock: any StoreClock { configuration.clock }

    /// Performs the first exchange with the store, unless it has been performed.
    ///
    /// Every other request does so too. Call this method before the first purchase to check that the store can be
    /// reached and accepts the token, and to load the values of synchronous services.
    ///
    /// - Throws: a `StoreFailure` if the store cannot be reached, refuses the token or supports no common version.
    public func prepare() async throws { _ = try await welcome() }

    // MARK: The socket

    /// Submits commands, and returns once the store has taken them.
    ///
    /// If there are many commands, they are sent in several requests, in order.
    ///
    /// - Parameter commands: the commands, in the order of their numbers.
    /// - Throws: a `RefusedCommandsError` if some commands are too long for the store or cannot be decoded by it; the
    ///   store has then taken all others. Otherwise a `StoreFailure`: the store may then have taken some of the
    ///   commands, and recognizes them when they are repeated.
    public func submit(_ commands: [StoreCommand]) async throws {
        let limit = try await welcome().bodySize
        let commandSender = CommandSender(destination: sender.destination, limit: limit) { [self] body in
            let welcome = try await welcome()
            return try await asAgreed {
                let answer = try await sender.post(.submit, version: welcome.version, body)
                if let refusal = answer.finalRefusal { return refusal }
                _ = try answer.content
                return nil
            }
        }
        let refused = try await commandSender.submit(commands)
        known.forget(
            commands.lazy.compactMap { if case .finish(let transaction) = $0.action { transaction } else { nil } }
        )
        if !refused.isEmpty { throw RefusedCommandsError(refused) }
    }

    /// Passes updates from a stream of the store to a feed, until the task is canceled or the connection is lost.
    ///
    /// - Throws: a `StoreFailure`, for example if the store sends nothing during three of its heartbeat intervals.
    public func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        let welcome = try await welcome()
        var query = [URLQueryItem(name: "journal", value: feed.journal.description)]
        if let cursor { query.append(URLQueryItem(name: "position", value: String(cursor.position))) }
        if let part = cursor?.part { query.append(URLQueryItem(name: "part", value: String(part))) }
        if configuration.carriesReceipts { query.append(URLQueryItem(name: "receipts", value: "true")) }
        let stream = known.beginStream()
        defer { known.endStream(stream) }
        let connection = UpdateConnection(sender.destination, silence: welcome.heartbeat * 3) { [known] line in
            known.take(line, fromStream: stream)
            if let batch = line.batch {
                feed.send(batch)
                known.forget(batch.updates.lazy.compactMap(\.finishedTransaction))
            }
            if line.hasChanged == true || line.batch?.updates.isEmpty == false { known.notify() }
        }
        let request = sender.destination.request(.updates, version: welcome.version, query: query)
        let greeting = try JSONEncoder().encode(Greeting(wantsReceipts: false))
        let opening = sender.destination.request(.hello, version: welcome.version, body: greeting)
        try await asAgreed { try await connection.run(request, after: opening) }
    }

    /// Acknowledges updates; if the acknowledgement is lost, the store sends them again.
    public func acknowledge(through cursor: UpdateCursor) async {
        _ = try? await post(.acknowledge, JSONEncoder().encode(cursor))
    }

    /// Looks up products.
    ///
    /// - Parameter identifiers: the identifiers, at most 5,000. The store refuses more.
    /// - Returns: a product for each identifier that is sold, and the other identifiers.
    /// - Throws: a `StoreFailure`.
    public func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        let changes = known.changes
        let answer: ProductsAnswer = try await ask(.products, identifiers.sorted())
        known.take(answer, since: changes)
        return answer
    }

    // MARK: Requests

    /// Posts a value and decodes the response.
    func ask<Answer: Decodable>(_ call: DeviceCall, _ question: some Encodable) async throws -> Answer {
        let body = try JSONEncoder().encode(question)
        let data = try await post(call, body)
        do {
            return try UntrustedJSON.decode(Answer.self, from: data)
        } catch {
            throw sender.destination.unreadable
        }
    }

    /// Posts a body in the version agreed on.
    func post(_ call: DeviceCall, _ body: Data) async throws -> Data {
        let welcome = try await welcome()
        let sender = call == .content ? downloads : sender
        return try await asAgreed { try await sender.post(call, version: welcome.version, body).content }
    }

    /// Sends a request under the terms of the first exchange.
    ///
    /// If the request times out, or the store no longer supports the version, the next request begins with a new
    /// exchange.
    private func asAgreed<Answer>(_ send: () async throws -> Answer) async throws -> Answer {
        do {
            return try await send()
        } catch let failure as StoreFailure
            where [URLError.Code.unsupportedURL, .timedOut].contains(where: { $0.rawValue == failure.code })
        {
            // The store may have been replaced by one that has another version or a longer heartbeat interval.
            greeting.withLock { $0 = nil }
            throw failure
        }
    }

    /// Returns the verified value of a text signed by the store.
    func value<Payload>(_ text: SignedText) throws -> SignedValue<Payload> {
        do {
            guard let verifier = configuration.verifier else {
                return try SignedValue(trusting: text.jws, defect: text.defect)
            }
            return try SignedValue(jws: text.jws, verifier: verifier, device: known.status.deviceVerificationID)
        } catch {
            throw sender.destination.unreadable
        }
    }

    /// Performs the first exchange once.
    ///
    /// Concurrent callers share it, and after a failure the next caller repeats it.
    private func welcome() async throws -> Welcome {
        let task = greeting.withLock { greeting in
            if let greeting { return greeting }
            let task = Task { [sender, known, configuration] in
                let greeting = Greeting(wantsReceipts: configuration.carriesReceipts)
                let body = try JSONEncoder().encode(greeting)
                let data = try await sender.post(.hello, version: greeting.versions.newest, body).content
                let place = sender.destination
                guard let welcome = try? UntrustedJSON.decode(Welcome.self, from: data),
                    DeviceProtocol.heartbeats.contains(welcome.heartbeat)
                else { throw place.unreadable }
                guard greeting.versions.contains(welcome.version) else {
                    throw StoreFailure.otherVersion(
                        of: VersionRange(oldest: welcome.version, newest: welcome.version),
                        here: greeting.versions
                    )
                }
                known.take(welcome.status, welcome.receipt)
                return welcome
            }
            greeting = task
            return task
        }
        do {
            return try await task.value
        } catch {
            greeting.withLock { if $0 == task { $0 = nil } }
            throw error
        }
    }
}

extension StoreUpdate {
    /// The transaction that the update removes; nil for every other update.
    fileprivate var finishedTransaction: String? {
        if case .finished(let transaction, _) = self { transaction } else { nil }
    }
}

extension StoreFailure {
    /// The failure for a store and a device that have no common version.
    ///
    /// Its text names the side to update.
    package static func otherVersion(of store: VersionRange, here device: VersionRange) -> StoreFailure {
        let side = store.newest < device.oldest ? "update the store's server" : "update the device's software"
        return .network(.unsupportedURL, "the store speaks \(store) of the protocol and the device \(device): \(side)")
    }
}

extension RemoteStore {
    /// The settings of a remote store.
    public struct Configuration: Sendable {
        /// The seconds within which the store has to respond, or to send more of a response; by default 30.
        ///
        /// Values are limited to the range from 0.01 to 86,400.
        public var timeout: TimeInterval = 30
        /// Whether receipts are sent with the updates; true by default.
        ///
        /// The app receipt is sent whenever it has changed. Each purchased or restored transaction is sent with its
        /// receipt.
        ///
        /// If false, the app has no receipts. An app that reads none thereby saves signatures and traffic.
        public var carriesReceipts = true
        /// The verifier of signed transactions.
        ///
        /// By default nil: the store is trusted because of its connection and token.
        public var verifier: (any PayloadSigner)?
        /// The clock for the pauses of queues; by default the system's.
        public var clock: any StoreClock = SystemClock.shared

        /// Creates the default settings.
        public init() {}
    }
}
