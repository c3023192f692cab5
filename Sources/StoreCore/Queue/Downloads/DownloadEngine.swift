import Foundation

/// The driver of a queue's downloads, whose state it guards with a lock.
///
/// Files are fetched and written without the lock held. The queue's driver delivers the reports, in order with the
/// queue's other callbacks. A thread may take the engine's lock while it holds the lock of the queue's driver, but
/// never the other way round.
final class DownloadEngine: Sendable {
    private let backend: any StoreBackend
    private let clock: any StoreClock
    private let activity: Activity
    private let laneExecutor: (any LaneExecutor)?
    private let folder = DownloadFolder()
    /// The link to the queue's driver; empty once the queue has released the driver.
    private let link: DriverLink
    private let state = Locked(State())

    private struct State {
        var machine = DownloadMachine()
        var actions: [DownloadMachine.Action] = []
        var lane = Outbox<DownloadMachine.Action>()
        /// The objects that observers know, with their files.
        var downloads: [Int: (object: AnyObject, file: URL)] = [:]
        var work = 0
    }

    /// The values from which a download's object is created.
    struct Draft {
        let number: Int
        let content: StoreContent
        let file: URL
    }

    init(for driver: QueueDriver) {
        backend = driver.backend
        clock = driver.clock
        activity = driver.activity
        link = driver.link
        laneExecutor = driver.backend.makeLaneExecutor(label: "StoreCore.download-lane")
        activity.register(self)
    }
}

extension QueueDriver {
    /// The engine of the downloads of this queue's transactions.
    var downloads: DownloadEngine { downloadEngine.load() ?? downloadEngine.storeIfNil(DownloadEngine(for: self)) }
}

// MARK: - The app

extension DownloadEngine {
    /// Returns the objects of a transaction's downloads, created at the first call; none once it is finished.
    ///
    /// - Parameters:
    ///   - transaction: the transaction's number in the queue's driver.
    ///   - isFinished: returns whether the transaction is finished; called with the lock held. A transaction must be
    ///     marked as finished before `end` is called.
    ///   - requests: returns the requests for the files that the store hosts for the transaction.
    ///   - make: creates a download's object; called with the lock held.
    /// - Returns: the downloads' objects, in the order of the requests.
    func downloads(
        of transaction: Int,
        isFinished: () -> Bool,
        _ requests: () -> [ContentRequest],
        make: (Draft) -> AnyObject
    ) -> [AnyObject] {
        state.withLock { state in
            if isFinished() { return [] }
            let requests = requests()
            let numbers = state.machine.downloads(of: transaction) { requests }
            return zip(numbers, requests).map { number, request in
                if let known = state.downloads[number] { return known.object }
                let file = folder.file(of: number, named: request.content.identifier)
                let object = make(Draft(number: number, content: request.content, file: file))
                state.downloads[number] = (object, file)
                return object
            }
        }
    }

    /// Applies an app's order, such as a pause, to downloads.
    ///
    /// Returns the downloads that the order leaves unchanged, with the reasons.
    func obey(_ order: DownloadOrder, _ downloads: [Int]) -> [(download: Int, refusal: DownloadRefusal)] {
        CallScope.outermost { handle { $0.obey(order, downloads, now: clock.now, &$1) } }
    }

    /// Whether a download's transaction is unfinished.
    ///
    /// The file of a completed download exists until the transaction is finished.
    func contains(_ download: Int) -> Bool { state.withLock { $0.machine.contains(download) } }
}

// MARK: - The queue's driver

extension DownloadEngine {
    /// Returns the object that observers know a download by; nil once its transaction is finished.
    func object(_ download: Int) -> AnyObject? { state.withLock { $0.downloads[download]?.object } }

    /// Ends the downloads of a transaction that is finished or gone.
    ///
    /// Called with the queue's lock held. The caller schedules the returned reports for delivery, then calls
    /// `runWhatWasLeft`, which removes the files.
    func end(_ transaction: Int) -> [(download: AnyObject, report: DownloadReport)] {
        state.withLock { state in
            let ended = state.machine.end(transaction, &state.actions)
            let reports = ended.compactMap { download, report -> (download: AnyObject, report: DownloadReport)? in
                guard let object = state.downloads.removeValue(forKey: download)?.object, let report else { return nil }
                return (object, report)
            }
            route(&state)
            return reports
        }
    }

    /// Performs the pending actions, unless another thread is performing them.
    func runWhatWasLeft() {
        if state.withLock({ $0.lane.schedule() }) { schedule() }
    }

    /// Retires the engine permanently, and removes all files.
    func retire() {
        let retained = state.withLock { state in
            state.machine.retire(&state.actions)
            route(&state)
            defer { state.downloads = [:] }
            return state.downloads
        }
        runWhatWasLeft()
        // The objects are released without the lock, since they may hold the last references to their queue.
        withExtendedLifetime(retained) {}
    }
}

// MARK: - Events in, actions out

extension DownloadEngine {
    private func handle<R>(_ event: (inout DownloadMachine, inout [DownloadMachine.Action]) -> R) -> R {
        let (result, mustRun) = state.withLock { state in
            let result = event(&state.machine, &state.actions)
            route(&state)
            return (result, state.lane.schedule())
        }
        if mustRun { schedule() }
        return result
    }

    private func route(_ state: inout State) {
        guard !state.actions.isEmpty else { return }
        state.work &+= 1
        for action in state.actions { state.lane.append(action) }
        state.actions.empty()
    }

    private func schedule() {
        if let laneExecutor { laneExecutor.enqueue { self.run() } } else { run() }
    }

    private func run() {
        CallScope.outermost { _ = state.drain(\.lane) { perform($0) } }
        activity.changed()
    }

    private func perform(_ action: DownloadMachine.Action) {
        switch action {
        case .fetch(let number, let ticket, let request):
            // Weak, since a store that never replies would otherwise retain the engine, which retains the store.
            let reply: @Sendable (Result<Data, StoreFailure>) -> Void = { [weak self] answer in
                guard let self else { return }
                CallScope.outermost {
                    self.handle { $0.answered(number, ticket: ticket, answer, now: self.clock.now, &$1) }
                }
            }
            guard let content = backend.services.content else {
                return reply(.failure(.storeKit(.unknown, "this store hosts nothing to download")))
            }
            content.fetchContent(request, reply: reply)
        case .write(let number, let ticket, let data, let offset):
            let failure = write(data, number, at: offset)
            handle {
                $0.written(number, ticket: ticket, bytes: data.count, failure: failure, now: clock.now, &$1)
            }
        case .report(let number, let report): link.driver?.handle { $1.append(.download(number, report)) }
        case .remove(let number): folder.remove(number)
        case .removeAll: folder.remove()
        }
    }

    private func write(_ data: Data, _ number: Int, at offset: Int64) -> StoreFailure? {
        // The transaction may have been finished since the request; its downloads have then ended.
        guard let file = state.withLock({ $0.downloads[number]?.file }) else { return nil }
        do {
            try folder.write(data, to: file, at: offset)
            return nil
        } catch {
            return .storeKit(.unknown, "\(file.lastPathComponent) cannot be written: \(error)")
        }
    }
}

extension DownloadEngine: ActivityMember {
    // Not quiet while actions are pending, even if no thread runs the lane yet.
    var pulse: (isQuiet: Bool, work: Int) { state.withLock { ($0.lane.isIdle, $0.work) } }
    func drainHere() -> Bool { false }
    var waitingFor: [String] { state.withLock { $0.machine.waiting } }
}

/// The temporary folder of a queue's downloads on this device, created when the first byte is written.
///
/// Only `file(of:named:)` may be called on several threads at the same time.
struct DownloadFolder: Sendable {
    private let folder = TemporaryFolder(for: "downloads")

    /// Returns the file of a download.
    func file(of number: Int, named name: String) -> URL {
        place(of: number).appendingPathComponent(Self.fileName(name), isDirectory: false)
    }

    /// Writes bytes into a file at an offset; offset 0 replaces the file.
    ///
    /// - Throws: the error of the file system, or a Cocoa error if the preceding bytes are missing.
    func write(_ data: Data, to file: URL, at offset: Int64) throws {
        guard offset > 0 else {
            try folder.make()
            let place = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            return try data.write(to: file)
        }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let end = try handle.seekToEnd()
        guard end >= UInt64(offset) else { throw CocoaError(.fileReadCorruptFile) }
        // The file is longer if a piece was written after its download was paused: that piece is fetched again.
        try handle.truncate(atOffset: UInt64(offset))
        try handle.write(contentsOf: data)
    }

    /// Removes a download's file, if there is one.
    func remove(_ number: Int) { try? FileManager.default.removeItem(at: place(of: number)) }

    /// Removes all files.
    func remove() { folder.remove() }

    private func place(of number: Int) -> URL { folder.url.appendingPathComponent(String(number), isDirectory: true) }

    /// Returns a name that every file system accepts.
    private static func fileName(_ identifier: String) -> String {
        let name = String(identifier.prefix(100).map { isPlain($0) ? $0 : "_" })
        return name.isEmpty || name.hasPrefix(".") ? "_\(name)" : name
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
    }
}
