/// A value that determines its own form as Swift source.
protocol SwiftSourceConvertible {
    /// The value as Swift source.
    var source: String { get }
}

/// The case of a value of an enum, with its associated values.
///
/// The type uses reflection, which takes microseconds. Use it to print a step, not in every step of a life.
package struct EnumCase {
    /// The name of the case.
    package let name: String
    /// The associated value; a tuple if there are several or it has a label; nil for a case without any.
    private let content: Any?

    /// Creates the case of a value.
    ///
    /// - Parameters:
    ///   - value: a value of an enum.
    ///   - name: the name of a case without associated values. It is necessary if the enum has its own description,
    ///     since reflection provides no name for such a case.
    package init(of value: Any, name: String? = nil) {
        let child = Mirror(reflecting: value).children.first
        self.name = child?.label ?? name ?? "\(value)"
        content = child?.value
    }

    /// The case as Swift source, as in `.advance(hours: 24)`.
    package var source: String {
        guard let content else { return ".\(name)" }
        let tuple = Mirror(reflecting: content)
        guard tuple.displayStyle == .tuple else { return ".\(name)(\(Self.source(of: content)))" }
        let arguments = tuple.children.map { label, value in
            // A value without a label has its position as the label, as in `.0`.
            let prefix = label.map { $0.hasPrefix(".") ? "" : "\($0): " } ?? ""
            return prefix + Self.source(of: value)
        }
        return ".\(name)(\(arguments.joined(separator: ", ")))"
    }

    private static func source(of value: Any) -> String {
        if let value = value as? any SwiftSourceConvertible { return value.source }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { source(of: $0.value) } ?? "nil"
        case .collection: return "[\(mirror.children.map { source(of: $0.value) }.joined(separator: ", "))]"
        case .enum: return EnumCase(of: value).source
        default: return String(reflecting: value)
        }
    }
}
