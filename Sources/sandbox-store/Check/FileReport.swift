import StoreCore
import StoreScenario

/// A readable report on the content of a `.storekit` file.
struct FileReport {
    private var lines: [String] = []
    private let configuration: StoreConfiguration
    private let file: String

    /// Creates the report on a file.
    ///
    /// - Parameters:
    ///   - configuration: its content.
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

    /// The whole report, with a line break at its end.
    var text: String { lines.map { "\($0)\n" }.joined() }

    /// The file's products and its probable mistakes as JSON, with a line break at its end.
    ///
    /// - Throws: the error of a store that cannot sell them.
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
