import StoreCore

/// The settings of a file that differ from Xcode's defaults, a line each; storefront and language apart.
struct SettingsReport {
    private(set) var lines: [String] = []

    /// The suffix of settings that a store opened on the file ignores.
    private static let notApplied = " (not applied yet)"

    /// Compares settings with those of an empty file.
    init(_ settings: StoreConfiguration.Settings) {
        if settings.timeRate != 0 {
            let mark = Self.rates[settings.timeRate] == nil ? " (unknown)" : ""
            lines.append("time rate \(Self.name(ofRate: settings.timeRate))\(mark)")
        }
        for (generation, rate) in settings.compatibilityTimeRates.sorted(by: { $0.key < $1.key }) {
            let readers = generation == 0 ? "older readers" : "readers that know generation \(generation)"
            lines.append("time rate for \(readers): \(Self.name(ofRate: rate))")
        }
        let switches = [
            (settings.isAskToBuyEnabled, "Ask to Buy: every purchase waits for approval"),
            (settings.areInterruptedPurchasesEnabled, "interrupted purchases"),
            (settings.isBillingRetryOnRenewalEnabled, "billing retry on renewal"),
            (settings.isBillingGracePeriodEnabled, "billing grace period, where renewals go into billing retry"),
            (settings.areDialogsDisabled, "no dialogs: purchases go through without asking"),
        ]
        lines += switches.filter(\.0).map(\.1)
        addFailures(settings)
        if let identifier = settings.applicationInternalIdentifier {
            lines.append("synchronised with app \(identifier)")
        }
        if let team = settings.developerTeamIdentifier { lines.append("developer team \(team)") }
        if let date = settings.lastSynchronizedDate { lines.append("last synchronised \(Wording.moment(date))") }
    }

    private mutating func addFailures(_ settings: StoreConfiguration.Settings) {
        let code = settings.transactionFailureCode.map { " with SKError \($0)" } ?? ""
        if settings.areTransactionFailuresEnabled {
            lines.append("every purchase fails\(code)")
        } else if let code = settings.transactionFailureCode, code != 0 {
            lines.append("failures of purchases, switched off: SKError \(code)")
        }
        for error in settings.forcedErrors where error.isEnabled || error.choice != nil {
            let choice = error.choice.map { "\($0.type) error \($0.index)" } ?? "no error chosen"
            lines.append(
                error.isEnabled
                    ? "failure of \(error.operation): \(choice)\(error.operation == "Purchase" ? "" : Self.notApplied)"
                    : "failure of \(error.operation), switched off: \(choice)"
            )
        }
    }

    /// Returns Xcode's number with its meaning, where that is known.
    private static func name(ofRate rate: Int) -> String { rates[rate].map { "\(rate) (\($0))" } ?? "\(rate)" }

    private static let rates = [
        0: "real time",
        1: "an hour is a day", 2: "30 minutes are a day", 3: "5 minutes are a day",
        4: "a minute is a day", 5: "30 seconds are a day", 6: "a second is a day",
        10: "a month is an hour", 11: "a month is 30 minutes", 12: "a month is 15 minutes",
        13: "a month is 5 minutes", 15: "a month is 30 seconds",
        1000: "a renewal every 15 minutes", 1001: "a renewal every 5 minutes", 1002: "a renewal every minute",
        1003: "a renewal every 30 seconds", 1004: "a renewal every 10 seconds", 1005: "a renewal every 2 seconds",
    ]
}
