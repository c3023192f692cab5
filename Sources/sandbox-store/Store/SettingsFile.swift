import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// The file beside a store's ledger that keeps what the ledger does not: the store's time, and what commands have set.
///
/// It is written when one of these has changed, and then only; questions and purchases leave it alone.
final class SettingsFile: Sendable {
    private struct Content: Codable, Equatable {
        /// The store's time, in seconds since 2001.
        var now: TimeInterval
        /// The seconds by which a clock that goes by itself was ahead of the system's.
        var lead: TimeInterval?
        /// The lines that set again what was set.
        var settings: [String]
    }

    /// What can have changed: the settings, and how far the clock was moved.
    private struct Mark: Equatable {
        var settings: [String] = []
        var progress: TimeInterval = 0

        /// Whether a clock has been moved since; it does not stand out among the moments that pass by themselves.
        func isMoved(since other: Mark) -> Bool { progress - other.progress > 0.5 }

        func differs(from other: Mark) -> Bool { settings != other.settings || isMoved(since: other) }
    }

    private struct Memory {
        /// What the file has.
        var written = Mark()
        /// What there was when it was last to be kept.
        var seen = Mark()
    }

    private let url: URL
    private let memory = Locked(Memory())

    /// The file beside a path.
    init(beside path: String) { url = URL(filePath: "\(path).state") }

    /// Finds the time at which the store of a ledger was last.
    ///
    /// - Parameters:
    ///   - ledger: the ledger.
    ///   - systemTime: the system's time, for a clock that has gone on since; nil for one that has stood still.
    /// - Returns: the time of the last event, or a later one that was kept; nil for neither.
    /// - Throws: ``StoreFile/Failure`` if the file cannot be read, and the ledger's errors.
    func time(of ledger: any Ledger, at systemTime: Date? = nil) throws -> Date? {
        let head = try ledger.head
        let last = head == 0 ? nil : try ledger.read(after: head - 1, limit: 1).last?.date
        let content = try content()
        let kept = content.map { Date(timeIntervalSinceReferenceDate: $0.now) }
        let ahead = content?.lead.flatMap { lead in systemTime.map { $0 + lead } }
        return [last, kept, ahead].compactMap(\.self).max()
    }

    /// Sets again what was set.
    ///
    /// - Throws: ``StoreFile/Failure`` if the file cannot be read, or has a line that the store refuses.
    func restore(_ performer: ScenarioPerformer) throws {
        for line in try content()?.settings ?? [] {
            do {
                _ = try performer.perform(line)
            } catch {
                throw StoreFile.Failure(description: "\(url.path): \(line): \(error)")
            }
        }
        let mark = mark(of: performer)
        memory.withLock { $0 = Memory(written: mark, seen: mark) }
    }

    /// Writes what has changed since it was last written; nothing where nothing has.
    ///
    /// - Throws: ``StoreFile/Failure`` if what has changed since the last call cannot be written: it names what will be lost.
    func keep(_ performer: ScenarioPerformer) throws {
        let mark = mark(of: performer)
        let now = performer.store.clock.now
        try memory.withLock { memory in
            let isNew = mark.differs(from: memory.seen)
            memory.seen = mark
            guard mark.differs(from: memory.written) else { return }
            do throws(CryptoError) {
                let lead = (performer.store.clock as? ShiftedClock)?.lead
                try write(Content(now: now.timeIntervalSinceReferenceDate, lead: lead, settings: mark.settings))
                memory.written = mark
            } catch {
                // Whoever did something else was told that it is done, and is right.
                guard isNew else { return }
                let what = Self.loss(of: mark, memory.written, now)
                throw StoreFile.Failure(
                    description: "it is done, but \(what) will be lost when this process ends: \(error)"
                )
            }
        }
    }

    /// Returns what is not in the file, in a few words.
    private static func loss(of mark: Mark, _ written: Mark, _ now: Date) -> String {
        var parts: [String] = []
        if mark.isMoved(since: written) { parts.append("the store's time, \(Wording.moment(now)),") }
        let new = mark.settings.filter { !written.settings.contains($0) }
        if !new.isEmpty {
            parts.append("what was set (\(new.joined(separator: "; ")))")
        } else if mark.settings != written.settings {
            parts.append("that settings were reset")
        }
        return parts.joined(separator: " and ")
    }

    private func mark(of performer: ScenarioPerformer) -> Mark {
        // A clock that goes by itself has been moved if its lead has grown.
        let clock = performer.store.clock
        let progress =
            (clock as? ShiftedClock)?.lead ?? (clock as? ManualClock)?.now.timeIntervalSinceReferenceDate ?? 0
        return Mark(settings: performer.settings, progress: progress)
    }

    private func content() throws -> Content? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
        } catch {
            let reason = "the store's time and settings cannot be read from \(url.path): \(error)"
            throw StoreFile.Failure(description: reason)
        }
    }

    private func write(_ content: Content) throws(CryptoError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Numbers and texts can always be encoded.
        let data = (try? encoder.encode(content)) ?? Data()
        try KeyFolder(url.deletingLastPathComponent()).put(data, to: url, mode: 0o600, isReplacing: true)
    }
}
