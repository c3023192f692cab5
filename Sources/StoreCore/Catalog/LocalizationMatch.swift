import Foundation

/// The selection of the localization that a user sees.
///
/// Three languages are tried in turn: the device's, the storefront's, and US English. For each, the best localization
/// is an exact match (`en_GB`), then the language without a country (`en`, `zh_Hant`), then the same language in the
/// same script, then the same language; among equal matches, the first is best. If no language matches, the first
/// localization is used.
struct LocalizationMatch {
    private let wanted: [Name]
    private var names: [String: Name] = [:]

    init(device: String, storefront: String) { wanted = [device, storefront, "en_US"].map(Name.init) }

    /// Returns the localization to show; nil only if there is none.
    ///
    /// Mutating because it caches the names that it has parsed.
    mutating func best(of localizations: [SandboxProduct.Localization]) -> SandboxProduct.Localization? {
        guard localizations.count > 1 else { return localizations.first }
        for wish in wanted {
            var best: (rank: Int, index: Int)?
            for index in localizations.indices {
                let rank = name(localizations[index].locale).rank(for: wish)
                if rank > best?.rank ?? 0 { best = (rank, index) }
            }
            if let best { return localizations[best.index] }
        }
        return localizations.first
    }

    private mutating func name(_ identifier: String) -> Name {
        if let known = names[identifier] { return known }
        let name = Name(identifier)
        names[identifier] = name
        return name
    }

    /// A locale's name, parsed.
    private struct Name {
        let language: String
        let script: String
        let region: String?

        init(_ identifier: String) {
            // The part after "@", such as a currency, says nothing about the language.
            let plain = String(identifier.prefix { $0 != "@" })
            let given = Locale.Language(identifier: plain)
            // The likely subtags add a script that the identifier implies, such as Hant for zh_TW.
            let full = Locale.Language(identifier: given.maximalIdentifier)
            language = full.languageCode?.identifier ?? plain
            script = full.script?.identifier ?? ""
            region = given.region?.identifier
        }

        func rank(for wish: Name) -> Int {
            guard language == wish.language else { return 0 }
            guard script == wish.script else { return 1 }
            if region == wish.region { return 4 }
            return region == nil ? 3 : 2
        }
    }
}
