import Foundation
import StoreCore

/// An answer's JSON, whose parts may be absent.
@dynamicMemberLookup
struct JSON: CustomStringConvertible {
    let value: Any?

    init(_ value: Any?) { self.value = value }

    init(data: Data) throws { value = try UntrustedJSON.object(from: data) }

    subscript(dynamicMember name: String) -> JSON { self[name] }

    subscript(name: String) -> JSON { JSON((value as? [String: Any])?[name]) }

    subscript(index: Int) -> JSON {
        let list = list
        return list.indices.contains(index) ? list[index] : JSON(nil)
    }

    var text: String? { value as? String }
    var number: Int? { (value as? NSNumber)?.intValue ?? value as? Int }
    var amount: Double? { (value as? NSNumber)?.doubleValue ?? value as? Double }
    var bool: Bool? { value as? Bool }
    var list: [JSON] { (value as? [Any])?.map { JSON($0) } ?? [] }
    var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }

    var payload: JSON {
        guard let parts = text?.split(separator: "."), parts.count == 3,
            let bytes = Base64URL.decode(Array(parts[1].utf8)[...])
        else { return JSON(nil) }
        return (try? JSON(data: Data(bytes))) ?? JSON(nil)
    }

    var description: String { value.map { "\($0)" } ?? "absent" }
}
