/// A word that a command expects at a place.
public struct ScenarioParameter: Hashable, Sendable {
    /// The parameter's name, as in `product`.
    public let name: String
    /// What may be written there.
    public let kind: ScenarioValueKind
    /// Whether it may be left out.
    public let isOptional: Bool

    init(_ name: String, _ kind: ScenarioValueKind, isOptional: Bool = false) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
    }

    static func optional(_ name: String, _ kind: ScenarioValueKind) -> Self { Self(name, kind, isOptional: true) }

    static let product = Self("product", .product)
    static let state = Self("state", .toggle)
    static let group = optional("group", .subscriptionGroup)

    static func transaction(_ pool: ScenarioTransactions) -> Self { optional("transaction", .transaction(pool)) }
}

/// An option of a command.
public struct ScenarioOption: Hashable, Sendable {
    /// The option's name, as in `--quantity`.
    public let name: String
    /// The kind of the word behind it; nil for an option without one.
    public let kind: ScenarioValueKind?
    /// The effect of the option, in a few words.
    public let summary: String

    init(_ name: String, _ kind: ScenarioValueKind? = nil, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    static let account = Self("--account", .account, "the account; the one that is signed in, unless given")
    static let device = Self("--device", .device, "the device; the first one, unless given")
    static let anyDevice = Self("--device", .device, "the device; the whole store, unless given")
}
