import Foundation
import StoreCore
import StoreRemote

/// The store for devices elsewhere: what a queue asks its backend for, over HTTP.
///
/// A device shows its token with each request. Every answer other than success is a `StoreFailure` as JSON.
package final class DeviceService: Sendable {
    /// The bounds of what devices may ask for, beyond those of every request.
    package struct Limits: Hashable, Sendable {
        /// The most streams of updates that a token may have open.
        package var streams = 16
        /// The seconds between two signs of life on a stream.
        package var heartbeat: TimeInterval = 5
        /// The most bytes of a request's body, as the server has it.
        package var bodySize = HTTPLimits().bodySize
        /// The seconds for which changes of the store are gathered before streams that they do not concern hear of them.
        package var calm: TimeInterval = 0.05

        package init() {}
    }

    let store: SandboxStore
    let versions: VersionRange
    private let log: StoreLog
    private let streams: DeviceStreams

    /// Creates the service of a store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - versions: the versions of the protocol to speak.
    ///   - limits: the bounds.
    ///   - log: the log for the errors of the store's ledger and signers, which devices are not told.
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

    /// Answers a request, of any content.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - path: its path behind the protocol's root.
    /// - Returns: the response; streams begin with it.
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

    /// Returns the request that a path names.
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
        // Neither present without being a number, nor a part without a position.
        if case .some(nil) = position { throw DeviceRefusal.bad("a position is a number") }
        if case .some(nil) = part { throw DeviceRefusal.bad("a part is a number") }
        if part != nil, position == nil { throw DeviceRefusal.bad("a part needs a position") }
        let cursor = (position ?? nil).map { UpdateCursor(position: $0, part: part ?? nil) }
        let stream = streams.begin(
            DeviceStreams.Subscription(
                store: store,
                device: device,
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

    /// Reads a body, of any content.
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

extension DeviceStatus {
    /// Reads what a device's services answer at once.
    init(of device: SandboxDevice) {
        self.init(
            canMakePayments: device.canMakePayments,
            storefront: device.storefront,
            promotionOverrides: device.promotionOverrides,
            isPriceConsentPending: device.isPriceConsentPending,
            deviceVerificationID: device.deviceVerificationID
        )
    }
}

extension ReceiptUpdate {
    /// Reads a device's app receipt, which a new reader does not find unchanged.
    init?(of device: SandboxDevice) {
        var reader = AppReceiptReader(device)
        self.init(reader.read())
    }

    /// Makes the update for a reading of a device's app receipt; nil where it is unchanged.
    init?(_ reading: AppReceiptReader.Reading) {
        switch reading {
        case .unchanged: return nil
        case .absent(let position): self.init(nil, position: position)
        case .changed(let receipt, let position): self.init(receipt, position: position)
        }
    }
}
