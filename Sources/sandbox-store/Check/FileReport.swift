import Foundation
import StoreCore
import StoreScenario

/// A report on the content of a `.storekit` file.
struct FileReport {
    private var lines: [String] = []
    private let configuration: StoreConfiguration
    private let file: String

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - configuration: the content of the file.
    ///   - file: the file's name in the report.
    init(_ configuration: StoreConfiguration, file: String) {
        self.configuration = configuration
        self.file = file
        let settings = configuration.settings
        let count = Wording.count(configuration.products.count, "product")
        lines.append("\(file): format \(configuration.version), \(count)")
        lines.append("  storefront \(settings.storefront), language \(settings.locale)")
        for kind in SandboxProduct.Kind.allCases {
            let products = configuration.products.filter { $0.kind == kind }
            if !products.isEmpty { add(products, of: kind) }
        }
        add(configuration.subscriptionGroups)
        if let key = configuration.subscriptionOffersKeyPair { lines.append("  \(key)") }
        let differences = SettingsReport(settings).lines
        lines.append(differences.isEmpty ? "  settings: all as by default" : "  settings:")
        lines += differences.map { "    \($0)" }
        if !configuration.warnings.isEmpty {
            lines.append("  probably mistakes:")
            lines += configuration.warnings.map { "    \($0.path): \($0.reason)" }
        }
    }

    /// The lines of the report, each followed by a line break.
    var text: String { lines.map { "\($0)\n" }.joined() }

    /// The products and the file's warnings as JSON, followed by a line break.
    ///
    /// - Throws: the error of a store that cannot sell the products.
    var json: String {
        get throws {
            let products = try ScenarioPerformer(store: SandboxStore(configuration)).perform("products").json
            let warnings = configuration.warnings.map { JSONValue.string("\($0)") }
            let (name, mistakes) = (JSONValue.string(file).encoded, JSONValue.array(warnings).encoded)
            return "{\"file\":\(name),\"products\":\(products),\"warnings\":\(mistakes)}\n"
        }
    }

    private mutating func add(_ products: [SandboxProduct], of kind: SandboxProduct.Kind) {
        lines.append("  \(Self.name(of: kind)): \(products.count)")
        let width = products.map(\.identifier.count).max() ?? 0
        let prices = products.map(Self.price)
        let priceWidth = prices.map(\.count).max() ?? 0
        for (product, price) in zip(products, prices) {
            var columns = [product.identifier.padded(to: width), price.padded(to: priceWidth), Self.title(product)]
            if product.isFamilyShareable { columns.append("for the family too") }
            lines.append("    \(columns.joined(separator: "  "))")
            if let members = product.subscription?.members, !members.isEmpty {
                lines.append("      includes \(members.joined(separator: ", "))")
            }
            if let terms = product.subscription?.billingPlans.first(where: { $0.plan == .monthly }) {
                lines.append("      or \(terms.price) every month, \(terms.commitmentPrice) in all")
            }
            lines += OfferReport(product).lines.map { "      \($0)" }
        }
    }

    private mutating func add(_ groups: [StoreConfiguration.SubscriptionGroup]) {
        guard !groups.isEmpty else { return }
        lines.append("  subscription groups: \(groups.count)")
        for group in groups {
            let members = group.productIdentifiers.isEmpty ? "empty" : group.productIdentifiers.joined(separator: ", ")
            lines.append("    \(group.identifier) \"\(group.name)\": \(members)")
        }
    }

    private static func name(of kind: SandboxProduct.Kind) -> String {
        switch kind {
        case .consumable: "consumables"
        case .nonConsumable: "non-consumables"
        case .autoRenewable: "auto-renewable subscriptions"
        case .nonRenewing: "non-renewing subscriptions"
        case .freeSubscription: "free subscriptions"
        case .subscriptionSuite: "suites of subscriptions"
        case .subscriptionBundle: "bundles of subscriptions"
        }
    }

    private static func price(of product: SandboxProduct) -> String {
        guard let subscription = product.subscription else { return "\(product.price)" }
        let period = subscription.period
        return "\(product.price) \(Wording.every(period.count, period.unit)), level \(subscription.level)"
    }

    private static func title(_ product: SandboxProduct) -> String {
        let title = product.localizations.first?.title ?? ""
        let languages = product.localizations.map(\.locale).joined(separator: ", ")
        return "\(title.isEmpty ? "no title" : "\"\(title)\"")\(languages.isEmpty ? "" : " (\(languages))")"
    }
}

/// A report on the offers of a product, one in each line.
struct OfferReport {
    private(set) var lines: [String] = []

    /// Creates a report, without lines if the product has no offers.
    init(_ product: SandboxProduct) {
        lines += product.offerCodes.map { offer in
            let price = offer.price.isZero ? "free" : "\(offer.price)"
            return "code offer \(offer.identifier): \(price), \(Self.name(offer.eligibility, "customers"))"
        }
        guard let subscription = product.subscription else { return }
        lines += subscription.introductoryOffers.map { "introductory offer: \(Self.describe($0))" }
        lines += subscription.promotionalOffers.map { "promotional offer \(Self.name($0)): \(Self.describe($0))" }
        lines += subscription.offerCodes.map { code in
            let rest = code.isStackable ? ", may follow an introductory offer" : ""
            return
                "code offer \(Self.name(code.offer)): \(Self.describe(code.offer)), \(Self.name(code.eligibility))\(rest)"
        }
        lines += subscription.winBackOffers.map { winBack in
            let rest = winBack.isEligible ? "" : ", nobody is eligible"
            return "win-back offer \(Self.name(winBack.offer)): \(Self.describe(winBack.offer))\(rest)"
        }
    }

    private static func name(_ offer: SandboxProduct.Offer) -> String {
        let identifier = offer.terms.identifier ?? ""
        return offer.referenceName == identifier ? identifier : "\(identifier) \"\(offer.referenceName)\""
    }

    private static func describe(_ offer: SandboxProduct.Offer) -> String {
        let terms = offer.terms
        let whole = Wording.time(terms.period.count * terms.periodCount, terms.period.unit)
        let text =
            switch terms.paymentMode {
            case .freeTrial: "free for \(whole)"
            case .payUpFront: "\(terms.price) for \(whole)"
            case .payAsYouGo: "\(terms.price) \(Wording.every(terms.period.count, terms.period.unit)) for \(whole)"
            }
        return offer.billingPlan == .upFront ? text : "\(text), with monthly billing"
    }

    private static func name(_ customers: SandboxProduct.Customers, _ noun: String = "subscribers") -> String {
        let names: [(SandboxProduct.Customers, String)] = [
            (.new, "new"), (.existing, "existing"), (.expired, "expired"),
        ]
        let chosen = names.filter { customers.contains($0.0) }.map(\.1)
        if chosen.count == names.count { return "for everybody" }
        return "for \(chosen.isEmpty ? "no" : chosen.joined(separator: " and ")) \(noun)"
    }
}

/// A report on the settings that differ from Xcode's defaults, except the storefront and the language.
struct SettingsReport {
    private(set) var lines: [String] = []

    /// The mark of a setting that a store ignores.
    private static let notApplied = " (not applied yet)"

    /// Creates a report on the differences from the settings of an empty file.
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

    /// Returns Xcode's number for a rate, with its meaning if it is known.
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
