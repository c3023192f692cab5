import Foundation

@testable import StoreCore

/// The stored fields of a value down to their bits, by their paths.
///
/// Unlike `==`, it tells apart what is equal and stored differently, and it forgets no field.
struct StoredBits: Equatable {
    private(set) var leaves: [String: String] = [:]

    init(_ value: Any) { add(value, "") }

    /// The paths of what is stored differently, or in one of the two only.
    func differences(from other: StoredBits) -> [String] {
        Set(leaves.keys).union(other.leaves.keys).filter { leaves[$0] != other.leaves[$0] }.sorted()
    }

    private mutating func add(_ value: Any, _ path: String) {
        switch value {
        case let number as any BinaryInteger: leaves[path] = "\(number)"
        case let number as any TypedNumber: leaves[path] = "\(number.rawValue)"
        case let number as Double: leaves[path] = "\(number.bitPattern)"
        case let text as String: leaves[path] = "\(Array(text.utf8))"
        case let data as Data: leaves[path] = "\(Array(data))"
        case let amount as Decimal: leaves[path] = withUnsafeBytes(of: amount) { "\(Array($0))" }
        case let date as Date: leaves[path] = "\(date.timeIntervalSinceReferenceDate.bitPattern)"
        default: addParts(of: value, path)
        }
    }

    private mutating func addParts(of value: Any, _ path: String) {
        let mirror = Mirror(reflecting: value)
        if mirror.children.isEmpty { leaves[path] = String(reflecting: value) }
        for (index, child) in mirror.children.enumerated() {
            let isOptional = mirror.displayStyle == .optional
            let label = child.label ?? "\(index)"
            add(child.value, isOptional ? path : path.isEmpty ? label : "\(path).\(label)")
        }
    }
}
