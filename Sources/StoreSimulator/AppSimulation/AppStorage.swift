import Foundation
import StoreCore

/// The data that an app stores between launches, which replaces its files, defaults and keychain.
///
/// ```swift
/// storage["swords", default: 0] += transaction.payment.quantity
/// ```
///
/// A write is atomic: the process may be killed before or after it. A read returns a copy of what was written, made by
/// `Codable` as if from a disk, so a changed object has to be written again. Any thread may use a storage, but see
/// ``AppSimulation`` about the app's own threads.
public final class AppStorage: Sendable {
    /// The values, which survive launches.
    final class Disk: Sendable {
        fileprivate enum Entry: Sendable {
            /// An immutable value without references, and its type.
            case plain(any Sendable, ObjectIdentifier)
            case encoded(Data, ObjectIdentifier)
        }

        fileprivate let entries = Locked<[String: Entry]>([:])

        /// Replaces a plain value with another one of the same type; returns false if there is no such value.
        ///
        /// This method is faster than a check whether a value is plain.
        fileprivate func replace<Value: Sendable>(_ value: Value, for key: String) -> Bool {
            entries.withLock { entries in
                guard let place = entries.index(forKey: key), case .plain(_, let type) = entries.values[place],
                    type == ObjectIdentifier(Value.self)
                else { return false }
                entries.values[place] = .plain(value, type)
                return true
            }
        }
    }

    private let disk: Disk
    private let process: AppProcess

    init(_ disk: Disk, _ process: AppProcess) {
        self.disk = disk
        self.process = process
    }

    /// The value for a key; nil if there is none of this type.
    ///
    /// Setting nil removes the value. Storing a value that cannot be encoded, or cannot be decoded again, breaks a rule
    /// of the simulation.
    public subscript<Value: Codable & Sendable>(key: String) -> Value? {
        get {
            switch disk.entries.withLock({ $0[key] }) {
            case nil: return nil
            // A stored nil counts as no value, even if the type is optional.
            case .plain(let value, _): return value as? Value
            case .encoded(let data, let type):
                guard type == ObjectIdentifier(Value.self) else { return nil }
                do { return try Self.decoder.decode(Value.self, from: data) } catch {
                    process.fail("what the app keeps under \(key.debugDescription) cannot be decoded: \(error)")
                    return nil
                }
            }
        }
        set {
            guard process.pass(.storage, "before it wrote \(key.debugDescription) to its storage") else { return }
            do {
                if let newValue {
                    if !disk.replace(newValue, for: key) {
                        let entry = try Self.entry(newValue)
                        disk.entries.withLock { $0[key] = entry }
                    }
                } else {
                    disk.entries.withLock { $0[key] = nil }
                }
            } catch {
                process.fail("what the app keeps under \(key.debugDescription) cannot be encoded: \(error)")
            }
            process.pass(.storage, "after it had written \(key.debugDescription) to its storage")
        }
    }

    /// The value for a key; the default if there is none of this type.
    public subscript<Value: Codable & Sendable>(key: String, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    private static func entry<Value: Codable & Sendable>(_ value: Value) throws -> Disk.Entry {
        if value is any PlainValue { return .plain(value, ObjectIdentifier(Value.self)) }
        return .encoded(try encoder.encode(value), ObjectIdentifier(Value.self))
    }

    private static let infinities = ("inf", "-inf", "nan")

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy =
            .convertToString(positiveInfinity: infinities.0, negativeInfinity: infinities.1, nan: infinities.2)
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy =
            .convertFromString(positiveInfinity: infinities.0, negativeInfinity: infinities.1, nan: infinities.2)
        return decoder
    }
}

/// A value without references.
///
/// Its copy is equivalent to one that is decoded from a disk.
private protocol PlainValue {}

extension Bool: PlainValue {}
extension Int: PlainValue {}
extension Int8: PlainValue {}
extension Int16: PlainValue {}
extension Int32: PlainValue {}
extension Int64: PlainValue {}
extension UInt: PlainValue {}
extension UInt8: PlainValue {}
extension UInt16: PlainValue {}
extension UInt32: PlainValue {}
extension UInt64: PlainValue {}
extension Float: PlainValue {}
extension Double: PlainValue {}
extension String: PlainValue {}
extension Data: PlainValue {}
extension Date: PlainValue {}
extension Decimal: PlainValue {}
extension URL: PlainValue {}
extension UUID: PlainValue {}
extension Optional: PlainValue where Wrapped: PlainValue {}
extension Array: PlainValue where Element: PlainValue {}
extension Set: PlainValue where Element: PlainValue {}
extension Dictionary: PlainValue where Key: PlainValue, Value: PlainValue {}

/// The journal of one launch, stored on a disk that survives the launch.
final class LaunchJournal: QueueJournal {
    private struct Killed: Error {}

    private let disk: MemoryJournal
    private let process: AppProcess

    init(_ disk: MemoryJournal, _ process: AppProcess) {
        self.disk = disk
        self.process = process
    }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        // The earlier launch has ended and need not be notified.
        try pass("before the queue read its records", "after the queue had read its records") {
            disk.open(superseded: {})
        }
    }

    func record(_ commands: [StoreCommand]) throws {
        try pass("after \(commands.beginning), before it was recorded", "after \(commands.beginning) and was recorded")
        {
            disk.record(commands)
        }
    }

    func forget(_ commands: [OrderID]) throws {
        try pass("before the queue forgot what the store had taken", "after the queue forgot what the store had taken")
        {
            disk.forget(commands)
        }
    }

    private func pass<R>(
        _ before: @autoclosure () -> String,
        _ after: @autoclosure () -> String,
        _ body: () -> R
    ) throws -> R {
        guard process.pass(.journal, before()) else { throw Killed() }
        let result = body()
        guard process.pass(.journal, after()) else { throw Killed() }
        return result
    }
}
