import Foundation
import StoreCore

// MARK: - Connections

extension TestHarness {
    /// Connects a new receiver.
    ///
    /// Without a cursor, waits for the snapshot.
    func connect(after cursor: UpdateCursor? = nil, in journal: JournalID? = nil, isMain: Bool = false) throws -> Line {
        let line = Line(TraceReceiver(journal ?? self.journal, trace, connection: -1), isMain: isMain)
        lines.append(line)
        try connect(line, after: cursor)
        return line
    }

    /// Throws an error if the main line's batches do not form a chain, which makes all other checks pointless.
    func expectChain() throws {
        guard let main, let flaw = look({ main.flaw(in: $0) }) else { return }
        results.hold(flaw.promise, false, flaw.why)
        throw Stop(reason: "\"\(flaw.promise)\" is broken")
    }

    /// Connects a line's receiver, even if it is connected already.
    ///
    /// Without a cursor, waits for the snapshot; the promise counts as broken if none arrives.
    func connect(_ line: Line, after cursor: UpdateCursor?, _ promise: ContractPromise = .snapshotFirst) throws {
        line.first = trace.read { $0.connections.count }
        try attach(line, after: cursor)
        guard cursor == nil else { return }
        let hasSnapshot = wait { line.snapshot(in: $0) != nil }
        let why = look { line.flaw(in: $0)?.why }
        results.hold(promise, hasSnapshot, why ?? "no complete snapshot came within \(subject.deadline) s")
        guard hasSnapshot else { throw Stop(reason: "a connection without a cursor had no snapshot") }
    }

    /// Connects a line's receiver without waiting for updates.
    private func attach(_ line: Line, after cursor: UpdateCursor?) throws {
        let index = trace.change { trace in
            trace.connections.append(
                Trace.Connection(line.journal, asked: cursor, isMain: line.isMain, begun: trace.count)
            )
            return trace.connections.count - 1
        }
        line.connections.append(index)
        line.receiver.connection = index
        let receiver = line.receiver
        try call(cursor == nil ? .snapshotFirst : .cursorResumes, "a connection") {
            $0.connect(receiver, after: cursor)
        }
    }

    func disconnect(_ line: Line) throws {
        leave(line)
        let receiver = line.receiver
        try call(.disconnectStops, "a disconnection") { $0.disconnect(receiver) }
    }

    func leave(_ line: Line) {
        lines.removeAll { $0 === line }
        trace.change { trace in for index in line.connections { trace.connections[index].isOver = true } }
    }

    /// Reconnects the lines whose connection was lost, from their cursors.
    ///
    /// - Returns: whether any connection was lost.
    private func reconnectLost() -> Bool {
        var hasLost = false
        for line in lines {
            // Checks each line in its turn: it may have been lost while an earlier line was being reconnected.
            guard let index = line.connections.last, look({ $0.connections[index].loss != nil }) else { continue }
            hasLost = true
            let walk = trace.change { trace in
                trace.connections[index].isOver = true
                return trace.connections[index].walk
            }
            line.receiver = TraceReceiver(line.journal, trace, connection: index)
            let isCut = walk.snapshot != nil && !walk.isSnapshotComplete
            try? attach(line, after: isCut ? nil : walk.cursor)
        }
        return hasLost
    }
}

// MARK: - Time

extension TestHarness {
    private var mover: (@Sendable (any StoreBackend, TimeInterval) -> Void)? {
        if let letTimePass = subject.letTimePass { return letTimePass }
        guard let clock = clock as? ManualClock else { return nil }
        return { _, seconds in clock.advance(by: seconds) }
    }

    /// The maximum number of reconnections in one wait.
    ///
    /// A store that needs more loses every connection.
    private static var patience: Int { 100 }
    /// The length of the final wait for a condition, after the clock was moved, as a multiple of the subject's pause.
    private static var grace: Double { 20 }

    /// Waits until a condition holds or the deadline has passed; returns whether it holds.
    func wait(_ isSo: @escaping (Trace) -> Bool) -> Bool {
        let limit = Date() + subject.deadline
        guard let mover else { return waitWhileTimePasses(until: limit, isSo) }
        for seconds in [0, subject.deadline] {
            for _ in 0..<Self.patience {
                if trace.read(isSo) { return true }
                guard move(seconds, mover, until: limit, isSo) else { return trace.read(isSo) }
                guard reconnectLost() else { break }
            }
        }
        // On a busy machine a task may do work that it did not report to the clock's activity.
        return trace.wait(until: Date() + Self.grace * subject.pause, isSo)
    }

    /// Waits until nothing more arrives, and checks that the batches form a chain.
    func quiet() throws {
        let limit = Date() + subject.deadline
        guard let mover else {
            results.skip([.goesQuiet], because: "the store's time passes by itself")
            for _ in 0..<Self.patience where Date() < limit {
                let count = look { $0.count }
                let hasMore = trace.wait(until: Date() + subject.pause) { $0.count != count }
                guard reconnectLost() || hasMore else { break }
            }
            return try expectChain()
        }
        for seconds in [0, subject.deadline] {
            for _ in 0..<Self.patience {
                let isDone = move(seconds, mover, until: limit) { _ in false }
                results.hold(.goesQuiet, isDone, "the store was not quiet within \(subject.deadline) s")
                guard isDone else { throw Stop(reason: "the store does not go quiet") }
                guard reconnectLost() else { break }
            }
        }
        try expectChain()
    }

    /// Advances the store's time, if that is possible.
    func pass(_ seconds: TimeInterval) throws {
        guard let mover else { return }
        let isDone = move(seconds, mover, until: Date() + subject.deadline) { _ in false }
        results.hold(.goesQuiet, isDone, "the store was not quiet within \(subject.deadline) s")
        guard isDone else { throw Stop(reason: "the store does not go quiet") }
        try quiet()
    }

    /// Advances the store's time on another thread, and waits until it is advanced or a condition holds.
    ///
    /// - Returns: whether one of the two happened before `limit`, by the system's clock.
    private func move(
        _ seconds: TimeInterval,
        _ mover: @escaping @Sendable (any StoreBackend, TimeInterval) -> Void,
        until limit: Date,
        _ isSo: (Trace) -> Bool
    ) -> Bool {
        let request = nextRequestNumber()
        SpareThread.run { [backend, trace] in
            mover(backend, seconds)
            trace.change { _ = $0.done.insert(request) }
        }
        return trace.wait(until: limit) { $0.done.contains(request) || isSo($0) }
    }

    private func waitWhileTimePasses(until limit: Date, _ isSo: (Trace) -> Bool) -> Bool {
        let request = nextRequestNumber()
        let timer = clock.schedule(at: clock.now + subject.deadline) { [trace] in
            trace.change { _ = $0.done.insert(request) }
        }
        defer { timer.cancel() }
        for _ in 0..<Self.patience {
            let hasHappened = trace.wait(until: limit) { trace in
                isSo(trace) || trace.done.contains(request)
                    || trace.connections.contains { $0.loss != nil && !$0.isOver }
            }
            if !hasHappened || trace.read({ isSo($0) || $0.done.contains(request) }) { break }
            _ = reconnectLost()
        }
        return trace.read(isSo)
    }
}

/// A reusable thread that advances a store's time.
///
/// A store that never settles occupies its thread forever. Dispatch queues, limited to 255 threads in a process, have
/// too few for that.
private final class SpareThread: Sendable {
    private static let idle = Locked<[SpareThread]>([])
    private let body = Locked<(@Sendable () -> Void)?>(nil)
    private let begins = DispatchSemaphore(value: 0)

    static func run(_ body: @escaping @Sendable () -> Void) {
        let thread = idle.withLock { $0.popLast() } ?? SpareThread()
        thread.body.withLock { $0 = body }
        thread.begins.signal()
    }

    private init() {
        Thread { [self] in
            while true {
                begins.wait()
                body.withLock { $0.take() }?()
                Self.idle.withLock { $0.append(self) }
            }
        }.start()
    }
}
