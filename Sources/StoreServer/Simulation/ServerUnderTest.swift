import Foundation
import StoreCore
import StoreCrypto

/// The user's server, which a job starts, kills and asks.
package final class ServerUnderTest {
    /// The outcome of a request.
    enum Outcome: Hashable {
        case answered(PlainHTTP.Response)
        /// The server was killed after it received the request; its answer is lost.
        case killed
        /// The server does not run.
        case down
    }

    /// A fault of the server itself, which breaks a life.
    struct Fault: Error {
        let rule: String
        let sentence: String
        /// The last lines of the server's output, each after a line feed.
        let output: String
    }

    /// A kill in the middle of a request.
    enum PlannedKill: Hashable {
        /// The server is killed when it has answered the request after this number of requests.
        case after(Int)
        /// The server is killed when it next asks the API to answer a request.
        case asking
    }

    let setup: ServerSetup
    let api: SimulatedAppStore
    private let client: PlainHTTP
    private let prefix: String
    private let data: URL
    private let output: URL
    private let variables: [String: String]
    private let placeholders: [(String, String)]
    private var process: ServerProcess?
    /// Whether the server is kept from starting.
    var isDown = false { didSet { if isDown { kill() } } }
    /// The kill that is to come; nil for none.
    var plannedKill: PlannedKill?
    /// The number of times that the server was killed.
    private(set) var kills = 0
    /// The number of requests to the server.
    private(set) var requests = 0

    init(_ setup: ServerSetup) throws {
        self.setup = setup
        api = try SimulatedAppStore(setup.api)
        data = ServerWatch.shared.newFolder()
        output = data.appending(path: "output.txt")
        let (folder, keys) = (data.appending(path: "data"), data.appending(path: "keys"))
        for folder in [folder, keys] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        let (root, key) = (keys.appending(path: "root.der"), keys.appending(path: "key.p8"))
        try api.authority.rootCertificate.write(to: root)
        try Data(api.key.privateKeyPEM.utf8).write(to: key)
        let port = setup.server.command == nil ? 0 : try Self.freePort()
        let placeholders = [("{port}", "\(port)"), ("{data}", folder.path)]
        self.placeholders = placeholders
        guard let url = URL(string: setup.server.url.replacing("{port}", with: "\(port)")), let host = url.host() else {
            throw ServerSimulationError("\(setup.server.url) is not a URL")
        }
        prefix = url.path(percentEncoded: true)
        client = PlainHTTP(host: host, port: UInt16(clamping: url.port ?? 80), patience: setup.patience)
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in setup.server.environment {
            variables[name] = placeholders.reduce(value) { $0.replacing($1.0, with: $1.1) }
        }
        let own = [
            "PORT": "\(port)", "DATA": folder.path, "STORE_URL": api.url, "STORE_ROOT": root.path,
            "STORE_KEY": key.path, "STORE_KEY_ID": api.key.identifier, "STORE_ISSUER_ID": api.key.issuer,
            "STORE_BUNDLE_ID": setup.bundle, "STORE_APP_ID": "1234567890", "STORE_ENVIRONMENT": "Sandbox",
        ]
        self.variables = variables.merging(own) { $1 }
    }

    deinit {
        process?.kill()
        try? FileManager.default.removeItem(at: data)
    }

    /// Returns a free port below those that systems give to connections, of which one may get the server's while it is
    /// dead.
    ///
    /// A process is given each port once before any port again: one that is free may be that of another server that is
    /// dead.
    package static func freePort() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = nextPort.withLock { next in
                defer { next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound }
                return next
            }
            guard let server = try? HTTPServer(port: port, handler: { _ in HTTPResponse(404) }) else { continue }
            server.stop()
            return server.port
        }
        throw ServerSimulationError("no port from 20000 to 32767 is free")
    }

    private static let ports: Range<UInt16> = 20_000..<32_768
    /// The port to try next; other processes begin elsewhere.
    private static let nextPort = Locked(UInt16.random(in: ports))

    /// Whether the simulation starts and kills the server.
    var isStarted: Bool { setup.server.command != nil }

    /// Whether the server runs now.
    var isRunning: Bool { !isDown && (process != nil || !isStarted) }

    /// The bundle identifier of the app, as the simulation's file has it.
    package var bundle: String { setup.bundle }

    /// Returns a signer whose signatures the server trusts, by a clock.
    package func signer(clock: any StoreClock) throws -> any ReceiptSigner {
        try AppStoreSigner(api.authority, clock: clock)
    }

    /// Kills the server, which is started again by the next request.
    func kill() {
        guard process != nil else { return }
        end()
        kills += 1
    }

    /// Kills the server, and waits until nothing listens at its port.
    private func end() {
        guard let running = process.take() else { return }
        running.kill()
        // A process outside the group would keep the port, so not for ever.
        for _ in 0..<1000 where client.accepts { usleep(1_000) }
    }

    /// Sends a request, after starting the server if it does not run.
    ///
    /// Faults are told apart by `form`, the path in the simulation's file. Throws a ``Fault`` if the server ends by
    /// itself or does not answer; it does not run then.
    func send(_ method: String, _ path: String, form: String, body: Data? = nil, at now: Date) throws -> Outcome {
        if isDown { return .down }
        try start(at: now)
        requests += 1
        let victim = plannedKill == .asking ? process?.identifier : nil
        api.killAtRequest(victim)
        let result = Result { () throws(PlainHTTP.Failure) in
            try client.send(method, prefix + path, headers: Self.headers(now), body: body)
        }
        // Only while a request is answered: what a server asks at other times depends on the machine. A server that asks
        // after its answer is killed as well, and must not run into the next request.
        if victim != nil, !api.killAtRequest(nil) {
            plannedKill = nil
            kill()
            return .killed
        }
        let response: PlainHTTP.Response
        do { response = try result.get() } catch {
            throw fault(error, "\(method) \(path)", form: "\(method) \(form)")
        }
        guard case .after(let count)? = plannedKill, isStarted else { return .answered(response) }
        plannedKill = count == 0 ? nil : .after(count - 1)
        guard count == 0 else { return .answered(response) }
        kill()
        return .killed
    }

    private static func headers(_ now: Date) -> [(String, String)] { [("Store-Time", "\(milliseconds(now))")] }

    /// Returns a date in the form of `{now}`.
    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded(.down)) }

    private func fault(_ failure: PlainHTTP.Failure, _ request: String, form: String) -> Fault {
        defer { end() }
        if failure == .refused || failure == .dropped, let process {
            // The connections of a process that ends are closed before: how long before depends on the machine.
            let end = ContinuousClock.now + .seconds(client.patience)
            while !process.hasEnded, ContinuousClock.now < end { usleep(3_000) }
            if process.hasEnded {
                return Fault(
                    rule: "end \(form)",
                    sentence: "the server ended by itself at \(request): \(process.end)",
                    output: lastLines
                )
            }
        }
        let reason =
            switch failure {
            case .refused: "accepts no connection"
            case .dropped: "closed the connection without an answer"
            case .timedOut: "did not answer within \(client.patience) s"
            case .invalid: "did not answer in HTTP"
            }
        return Fault(rule: "answer \(form)", sentence: "the server \(reason): \(request)", output: lastLines)
    }

    /// The last lines of the output since the server's start, each after a line feed.
    var lastLines: String {
        guard let file = try? FileHandle(forReadingFrom: output), let size = try? file.seekToEnd() else { return "" }
        try? file.seek(toOffset: size - min(size, 8192))
        let text = String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").suffix(12).map { "\n    \($0)" }.joined()
    }

    /// Starts the server if it does not run, and waits until it is ready.
    func start(at now: Date) throws {
        guard process == nil, let command = setup.server.command else { return }
        let started = try ServerProcess(
            command.map { word in placeholders.reduce(word) { $0.replacing($1.0, with: $1.1) } },
            environment: variables.merging(["STORE_TIME": "\(Self.milliseconds(now))"]) { $1 },
            in: setup.folder,
            output: output
        )
        let end = ContinuousClock.now + .seconds(ServerSetup.startPatience)
        while !isReady(at: now) {
            if started.hasEnded {
                throw Fault(
                    rule: "start",
                    sentence: "the server ended by itself when it was started: \(started.end)",
                    output: lastLines
                )
            }
            guard ContinuousClock.now < end else {
                throw Fault(
                    rule: "start",
                    sentence: "the server was not ready within \(ServerSetup.startPatience) s of its start",
                    output: lastLines
                )
            }
            usleep(3_000)
        }
        process = started
    }

    private func isReady(at now: Date) -> Bool {
        guard let path = setup.server.ready else { return client.accepts }
        guard let response = try? client.send("GET", prefix + path, headers: Self.headers(now), body: nil) else {
            return false
        }
        return response.status / 100 == 2
    }
}
