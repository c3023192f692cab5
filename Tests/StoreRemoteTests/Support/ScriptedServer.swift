import Foundation
import StoreCore
import StoreRemote
import StoreServer

/// A server whose answers a test writes, with a remote store that has a connection to it.
final class ScriptedServer: Sendable, HistoryListener {
    typealias Answer = @Sendable (ScriptedServer) -> any Encodable & Sendable

    private struct State {
        var status = DeviceStatus()
        var answers: [DeviceCall: Answer] = [:]
        var refusals: [DeviceCall: StoreFailure] = [:]
        /// The stream that the next connection gets.
        var stream = HTTPStream()
    }

    let receiver = Receiver()
    private let state = Locked(State())
    private let changes = DispatchSemaphore(value: 0)
    private let server = Locked<HTTPServer?>(nil)
    private let store = Locked<RemoteStore?>(nil)
    private let backend = Locked<(any StoreBackend)?>(nil)

    /// Serves, and opens a stream.
    init() throws {
        let server = try HTTPServer { [weak self] in self?.respond(to: $0) ?? HTTPResponse(404) }
        self.server.withLock { $0 = server }
        guard let url = URL(string: "http://127.0.0.1:\(server.port)/") else { throw URLError(.badURL) }
        let token = try SandboxStore(products: RemoteShop.products).device.makeToken()
        let remote = RemoteStore(url: url, token: token, configuration: .init(timeout: 600))
        remote.follow(self)
        remote.follow(receiver)
        store.withLock { $0 = remote }
        backend.withLock { $0 = remote.asStoreBackend() }
        connect(after: nil)
    }

    deinit { server.withLock { $0 }?.stop() }

    var remote: RemoteStore { store.withLock { $0! } }

    func connect(after cursor: UpdateCursor?) { backend.withLock { $0! }.connect(receiver, after: cursor) }

    func greet(with status: DeviceStatus) { state.withLock { $0.status = status } }

    func answer(_ call: DeviceCall, with answer: @escaping Answer) { state.withLock { $0.answers[call] = answer } }

    /// Sets a failure with which requests are refused.
    func refuse(_ call: DeviceCall, with failure: StoreFailure) { state.withLock { $0.refusals[call] = failure } }

    func send(_ change: (inout UpdateLine) -> Void) {
        var line = UpdateLine()
        change(&line)
        state.withLock { $0.stream }.send(json(line) + Data("\n".utf8))
    }

    /// Sends a line that announces a change, and waits until the remote store has taken it.
    func sendChange(_ change: (inout UpdateLine) -> Void) async {
        let count = receiver.changes
        sendAnnounced(change)
        await receiver.waitForChange(after: count)
    }

    /// Does the same for an answer, whose thread may wait.
    func sendChangeFirst(_ change: (inout UpdateLine) -> Void) {
        sendAnnounced(change)
        changes.wait()
    }

    private func sendAnnounced(_ change: (inout UpdateLine) -> Void) {
        send { line in
            change(&line)
            line.hasChanged = true
        }
    }

    /// Ends the stream, and waits until the connection is lost.
    func endStream() async {
        let old = state.withLock { state in
            defer { state.stream = HTTPStream() }
            return state.stream
        }
        old.finish()
        await receiver.waitForLoss()
    }

    func historyChanged() { changes.signal() }

    private func respond(to request: HTTPRequest) -> HTTPResponse {
        let call = request.path.last.flatMap { DeviceCall(rawValue: $0) }
        let known = state.withLock { $0 }
        switch call {
        case .hello: return HTTPResponse(json: json(Welcome(status: known.status)))
        case .updates: return HTTPResponse(stream: known.stream)
        case .some(let call):
            if let failure = known.refusals[call] { return HTTPResponse(422, json: json(failure)) }
            return HTTPResponse(stream: later(known.answers[call] ?? { _ in Nothing() }))
        case nil: return HTTPResponse(404)
        }
    }

    /// Returns a body that has an answer once it is made.
    ///
    /// Not on the server's thread, which may be the one that the updates need.
    private func later(_ answer: @escaping Answer) -> HTTPStream {
        let body = HTTPStream()
        Thread.detachNewThread { [self] in
            body.send(json(answer(self)))
            body.finish()
        }
        return body
    }

    private func json(_ value: any Encodable) -> Data { (try? JSONEncoder().encode(value)) ?? Data() }
}
