import Foundation

enum JSONValue: Hashable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ data: Data) throws { self = try JSONDecoder().decode(Self.self, from: data) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let values = try? container.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

/// A checker for the part of JSON Schema that the socket's schema uses.
///
/// Here, unlike there, a key that the schema does not name is a fault.
final class SchemaChecker {
    private let definitions: [String: Any]
    /// What was met: properties, cases and values of enumerations, by their places in the schema.
    private(set) var met: Set<String> = []

    init(_ data: Data) throws {
        let schema = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        definitions = schema?["$defs"] as? [String: Any] ?? [:]
    }

    var names: Set<String> { Set(definitions.keys) }

    var all: Set<String> {
        var places: Set<String> = []
        for (name, schema) in definitions { Self.collect(schema, at: name, into: &places) }
        return places
    }

    private static func collect(_ schema: Any, at place: String, into places: inout Set<String>) {
        guard let schema = schema as? [String: Any] else { return }
        for (key, property) in schema["properties"] as? [String: Any] ?? [:] {
            places.insert("\(place).\(key)")
            collect(property, at: "\(place).\(key)", into: &places)
        }
        for value in schema["enum"] as? [String] ?? [] { places.insert("\(place)=\(value)") }
        for (number, choice) in (schema["oneOf"] as? [Any] ?? []).enumerated() {
            places.insert("\(place)|\(number)")
            collect(choice, at: "\(place)|\(number)", into: &places)
        }
        for key in ["items", "additionalProperties"] {
            if let inner = schema[key] { collect(inner, at: "\(place)[]", into: &places) }
        }
    }

    /// Returns what is wrong with a value, with its place; nil if it is as the definition says.
    func fault(in value: JSONValue, as name: String) -> String? {
        guard let schema = definitions[name] as? [String: Any] else { return "there is no definition \(name)" }
        return fault(in: value, schema, name)
    }

    private func fault(in value: JSONValue, _ schema: [String: Any], _ place: String) -> String? {
        if let reference = schema["$ref"] as? String {
            return fault(in: value, as: String(reference.dropFirst("#/$defs/".count))).map { "\(place): \($0)" }
        }
        if let choices = schema["oneOf"] as? [[String: Any]] { return faultOfChoice(value, choices, place) }
        if let constant = schema["const"] as? String, value != .text(constant) { return "\(place): not \(constant)" }
        switch (schema["type"] as? String, value) {
        case (nil, _), ("boolean", .bool): return nil
        case ("string", .text(let text)): return faultOfText(text, schema, place)
        case ("integer", .number(let number)), ("number", .number(let number)):
            if schema["type"] as? String == "integer", number != number.rounded() { return "\(place): no whole number" }
            let range = (schema["minimum"] as? Double ?? -.infinity)...(schema["maximum"] as? Double ?? .infinity)
            return range.contains(number) ? nil : "\(place): \(number) is out of range"
        case ("array", .array(let values)):
            let items = schema["items"] as? [String: Any] ?? [:]
            return values.lazy.compactMap { self.fault(in: $0, items, "\(place)[]") }.first
        case ("object", .object(let object)): return faultOfObject(object, schema, place)
        default: return "\(place): \(value) is of another type"
        }
    }

    private func faultOfText(_ text: String, _ schema: [String: Any], _ place: String) -> String? {
        if let values = schema["enum"] as? [String] {
            guard values.contains(text) else { return "\(place): none of \(values)" }
            met.insert("\(place)=\(text)")
        }
        guard let pattern = schema["pattern"] as? String else { return nil }
        let matches = text.range(of: pattern, options: .regularExpression) != nil
        return matches ? nil : "\(place): \(text) is not as \(pattern)"
    }

    private func faultOfChoice(_ value: JSONValue, _ choices: [[String: Any]], _ place: String) -> String? {
        let before = met
        var fitting: [(place: String, met: Set<String>)] = []
        var faults: [String] = []
        for (number, choice) in choices.enumerated() {
            met = before
            let here = "\(place)|\(number)"
            if let fault = fault(in: value, choice, here) { faults.append(fault) } else { fitting.append((here, met)) }
        }
        met = before
        guard fitting.count == 1 else { return "\(place): \(fitting.count) cases fit: \(faults)" }
        met.formUnion(fitting[0].met)
        met.insert(fitting[0].place)
        return nil
    }

    private func faultOfObject(_ object: [String: JSONValue], _ schema: [String: Any], _ place: String) -> String? {
        let properties = schema["properties"] as? [String: Any] ?? [:]
        for key in schema["required"] as? [String] ?? [] where object[key] == nil { return "\(place): no \(key)" }
        for (key, value) in object {
            let inner = properties[key] as? [String: Any] ?? schema["additionalProperties"] as? [String: Any]
            guard let inner else { return "\(place): \(key) is not there" }
            let here = properties[key] == nil ? "\(place)[]" : "\(place).\(key)"
            if let fault = fault(in: value, inner, here) { return fault }
            met.insert(here)
        }
        return nil
    }
}
