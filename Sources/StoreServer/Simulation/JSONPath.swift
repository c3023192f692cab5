import Foundation

/// A path to a value in JSON, as in `$.name`, `$.a.b`, `$["a b"]` or `$.list[0]`.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    private enum Step: Hashable {
        case member(String)
        case index(Int)
    }

    /// The text of the path.
    let description: String
    private let steps: [Step]

    /// Parses a path; nil for any other text.
    init?(_ text: String) {
        guard text.first == "$" else { return nil }
        var steps: [Step] = []
        var rest = text.dropFirst()
        while let first = rest.popFirst() {
            if first == "." {
                let name = rest.prefix { $0 != "." && $0 != "[" }
                if name.isEmpty || name.contains(where: { $0.isWhitespace || $0 == "]" || $0 == "*" }) { return nil }
                steps.append(.member(String(name)))
                rest = rest.dropFirst(name.count)
            } else {
                guard first == "[", let end = rest.firstIndex(of: "]") else { return nil }
                let word = rest[..<end]
                if word.count > 2, word.first == "\"", word.last == "\"" {
                    steps.append(.member(String(word.dropFirst().dropLast())))
                } else {
                    guard let index = Int(word), index >= 0 else { return nil }
                    steps.append(.index(index))
                }
                rest = rest[rest.index(after: end)...]
            }
        }
        description = text
        self.steps = steps
    }

    /// Returns the value at the path; nil if there is none.
    func value(in json: Any) -> Any? {
        var value = json
        for step in steps {
            switch step {
            case .member(let name):
                guard let next = (value as? [String: Any])?[name] else { return nil }
                value = next
            case .index(let index):
                guard let list = value as? [Any], list.indices.contains(index) else { return nil }
                value = list[index]
            }
        }
        return value
    }
}
