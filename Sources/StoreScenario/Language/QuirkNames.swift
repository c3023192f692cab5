import StoreCore

/// The names of quirks, in scenarios and over HTTP.
package enum QuirkNames {
    /// The systems whose names stand for all quirks that were seen on them.
    private static let systems: [(name: String, quirks: Set<StoreQuirk>)] = [
        ("macos-26.6", .macOS26_6), ("ios-27-simulator", .iOS27Simulator),
    ]

    /// Every valid name, without a time.
    package static let all = StoreQuirk.Kind.allCases.map(\.rawValue) + systems.map(\.name)

    /// Returns the quirks that a name stands for: one, as in `lists-late=0.5`, or those of a system; nil for any other
    /// text.
    package static func quirks(named name: String) -> Set<StoreQuirk>? {
        systems.first { $0.name == name }?.quirks ?? StoreQuirk(name).map { [$0] }
    }

    /// Returns why a text is not a valid name.
    ///
    /// - Returns: the invalid part of the text, the rest of a sentence about it, and the end of that sentence if no valid
    ///   name is similar.
    package static func defect(of text: String) -> (word: String, reason: String, advice: String) {
        let name = String(text.prefix { $0 != "=" })
        guard let kind = StoreQuirk.Kind(rawValue: name) else {
            return (name, "is not a quirk", "; the command quirks lists them")
        }
        guard kind.defaultSeconds != nil else { return (text, "has no time", "") }
        return (text, "needs seconds, at least 0 and at most 10 years, as in \(name)=0.5", "")
    }
}

extension Set<StoreQuirk> {
    /// Adds quirks, each in place of the one of its kind.
    package mutating func turnOn(_ quirks: Self) {
        turnOff(quirks)
        formUnion(quirks)
    }

    /// Removes the quirks of the same kinds, whatever their times.
    package mutating func turnOff(_ quirks: Self) {
        let kinds = Set<StoreQuirk.Kind>(quirks.map(\.kind))
        self = filter { !kinds.contains($0.kind) }
    }

    /// The names of the quirks, in the order of the kinds.
    package var names: [String] {
        StoreQuirk.Kind.allCases.compactMap { kind in first { $0.kind == kind }?.description }
    }
}
