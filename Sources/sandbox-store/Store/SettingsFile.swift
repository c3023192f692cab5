import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// The file of a store's time, of the settings that no ledger stores, and of the place of its keys.
///
/// The file is written only after a change of the time or the settings, not after queries or purchases.
final class SettingsFile: Sendable {
    private struct Content: Codable, Equatable {
        /// The store's time, in seconds since 2001.
        var now: TimeInterval
        /// The number of seconds by which a running clock was ahead of the system's clock.
        var lead: TimeInterval?
        /// Whether a clock that can run was stopped; nil for a clock that runs, and for one that never does.
        var isStopped: Bool?
        /// The lines of the scenario language that restore the settings.
        var settings: [String]
        /// The path of the keys' folder, relative to the file's folder if the keys are below that; nil if the keys are
        /// beside the store's file.
        var keys: String?
    }

    /// A snapshot of the settings, and of the time by which the clock was moved.
    private struct Mark: Equatable {
        var settings: [String] = []
        var progress: TimeInterval = 0
        var isStopped = false

        /// Returns whether the clock was moved since a snapshot.
        ///
        /// A smaller difference is time that has passed by itself.
        func isMoved(since other: Mark) -> Bool { progress - other.progress > 0.5 }

        func differs(from other: Mark) -> Bool {
            settings != other.settings || isStopped != other.isStopped || isMoved(since: other)
        }
    }

    private struct Memory {
        /// The snapshot in the file.
        var written = Mark()
        /// The snapshot of the last call of `keep`.
        var seen = Mark()
        /// The place of the keys, as in ``Content/keys``.
        var keys: String?
    }

    private let url: URL
    private let path: String
    private let memory = Locked(Memory())

    /// Creates a reference to the file beside a path, without accessing the file.
    init(beside path: String) { (url, self.path) = (URL(filePath: "\(path).state"), path) }

    /// Returns the folder of the store's keys.
    ///
    /// - Parameter name: the path of the folder, which ``keepKeys(at:)`` writes to the file; nil for the one in the
    ///   file, by default the folder beside the store's file.
    /// - Returns: the folder, which may not exist.
    /// - Throws: ``StoreFile/Failure`` if the file is unreadable.
    func keyFolder(_ name: String? = nil) throws -> URL {
        let usual = URL(filePath: "\(path).keys").standardizedFileURL
        let parent = url.standardizedFileURL.deletingLastPathComponent()
        var keys = try content()?.keys
        if let name {
            let folder = URL(filePath: name).standardizedFileURL
            let isBelow = folder.path.hasPrefix(parent.path + "/")
            let place = isBelow ? String(folder.path.dropFirst(parent.path.count + 1)) : folder.path
            keys = folder.path == usual.path ? nil : place
        }
        memory.withLock { $0.keys = keys }
        return keys.map { URL(filePath: $0, relativeTo: parent).standardizedFileURL } ?? usual
    }

    /// Writes the place of the keys to the file if another one was named.
    ///
    /// - Parameter now: the store's time, for a file that does not exist.
    /// - Throws: ``StoreFile/Failure`` if the file is unreadable, and a `CryptoError` if it cannot be written.
    func keepKeys(at now: Date) throws {
        let keys = memory.withLock { $0.keys }
        var content = try content() ?? Content(now: now.timeIntervalSinceReferenceDate, settings: [])
        guard content.keys != keys else { return }
        content.keys = keys
        try write(content)
    }

    /// Returns the last known time of the store on a ledger.
    ///
    /// - Parameters:
    ///   - ledger: the ledger.
    ///   - systemTime: the system's time if the store's clock runs; nil if the clock stands still.
    /// - Returns: the latest of the last record's time and the times in the file; nil if there are none.
    /// - Throws: ``StoreFile/Failure`` if the file is unreadable, and the errors of the ledger.
    func time(of ledger: any Ledger, at systemTime: Date? = nil) throws -> Date? {
        let head = try ledger.head
        let last = head == 0 ? nil : try ledger.read(after: head - 1, limit: 1).last?.date
        let content = try content()
        let kept = content.map { Date(timeIntervalSinceReferenceDate: $0.now) }
        let ahead = content?.lead.flatMap { lead in systemTime.map { $0 + lead } }
        return [last, kept, ahead].compactMap(\.self).max()
    }

    /// Returns whether the store's clock was stopped, which would otherwise run.
    ///
    /// - Throws: ``StoreFile/Failure`` if the file is unreadable.
    func isStopped() throws -> Bool { try content()?.isStopped ?? false }

    /// Restores the settings.
    ///
    /// - Throws: ``StoreFile/Failure`` if the file is unreadable or contains a line that the store refuses.
    func restore(_ performer: ScenarioPerformer) throws {
        for line in try content()?.settings ?? [] {
            do {
                _ = try performer.perform(line)
            } catch {
                throw StoreFile.Failure(description: "\(url.path): \(line): \(error)")
            }
        }
        let mark = mark(of: performer)
        memory.withLock { ($0.written, $0.seen) = (mark, mark) }
    }

    /// Writes the time and the settings if they have changed since they were last written.
    ///
    /// - Throws: ``StoreFile/Failure`` if changes since the last call cannot be written. The error names the changes.
    func keep(_ performer: ScenarioPerformer) throws {
        let mark = mark(of: performer)
        let now = performer.store.clock.now
        try memory.withLock { memory in
            let isNew = mark.differs(from: memory.seen)
            memory.seen = mark
            guard mark.differs(from: memory.written) else { return }
            do throws(CryptoError) {
                let lead = (performer.store.clock as? any MovableClock)?.lead
                let content = Content(
                    now: now.timeIntervalSinceReferenceDate,
                    lead: lead,
                    isStopped: mark.isStopped ? true : nil,
                    settings: mark.settings,
                    keys: memory.keys
                )
                try write(content)
                memory.written = mark
            } catch {
                // An earlier call has reported the failure, and nothing has changed since.
                guard isNew else { return }
                let what = Self.loss(of: mark, memory.written, now)
                throw StoreFile.Failure(
                    description: "it is done, but \(what) will be lost when this process ends: \(error)"
                )
            }
        }
    }

    /// Returns a description of the changes that are not in the file.
    private static func loss(of mark: Mark, _ written: Mark, _ now: Date) -> String {
        var parts: [String] = []
        if mark.isMoved(since: written) || mark.isStopped != written.isStopped {
            parts.append("the store's time, \(Wording.moment(now)),")
        }
        let new = mark.settings.filter { !written.settings.contains($0) }
        if !new.isEmpty {
            parts.append("what was set (\(new.joined(separator: "; ")))")
        } else if mark.settings != written.settings {
            parts.append("that settings were reset")
        }
        return parts.joined(separator: " and ")
    }

    private func mark(of performer: ScenarioPerformer) -> Mark {
        // Uses the lead of a running clock, which moves by itself while its lead does not.
        let clock = performer.store.clock as? any MovableClock
        let progress = clock.map { $0.lead ?? $0.now.timeIntervalSinceReferenceDate } ?? 0
        let isStopped = (clock as? any RunningClock)?.isRunning == false
        return Mark(settings: performer.settings, progress: progress, isStopped: isStopped)
    }

    private func content() throws -> Content? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return try JSONDecoder().decode(Content.self, from: Data(contentsOf: url))
        } catch {
            let trouble = error is DecodingError ? "this is not the JSON of such a file" : error.localizedDescription
            let reason = "the store's time and settings cannot be read from \(url.path): \(trouble)"
            let advice = "without the file, the store goes on from its last event, with settings as at first"
            throw StoreFile.Failure(description: "\(reason); \(advice)")
        }
    }

    private func write(_ content: Content) throws(CryptoError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Encoding of numbers and strings does not fail.
        let data = (try? encoder.encode(content)) ?? Data()
        try KeyFolder(url.deletingLastPathComponent()).put(data, to: url, mode: 0o600, isReplacing: true)
    }
}
