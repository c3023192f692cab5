import Foundation

/// Makes a configuration from a decoded `.storekit` file, and refuses one of the right shape whose values are invalid.
struct StorekitFileReader {
    typealias Expectation = StorekitFileExpectation
    typealias Place = StorekitFilePlace

    let file: String
    private let warnings = Warnings()

    /// The places met so far that do not prevent the file's use.
    private final class Warnings {
        var list: [StoreConfiguration.Warning] = []
    }

    init(file: String) { self.file = file }

    func read(
        _ file: StorekitFile,
        keyWarnings: StoreConfiguration.LateWarnings
    ) throws(StoreConfigurationError) -> StoreConfiguration {
        let version = StoreConfiguration.Version(
            major: try whole(file.version.major, or: 0, from: 0, at: "version.major"),
            minor: try whole(file.version.minor, or: 0, from: 0, at: "version.minor")
        )
        let newest = StoreConfiguration.newestMajorVersion
        if version.major > newest {
            warn("version.major", "format \(version.major) is not known yet, and read as \(newest)")
        }
        var shelf = Shelf(file: file)
        for (index, product) in (file.products ?? []).enumerated() {
            let place = Place.product(index)
            try add(try self.product(product, at: place), at: place, to: &shelf)
        }
        for (index, product) in (file.nonRenewingSubscriptions ?? []).enumerated() {
            let place = Place.nonRenewing(index)
            try add(try self.product(product, or: .nonRenewing, at: place), at: place, to: &shelf)
        }
        try checkGroups(file.subscriptionGroups ?? [])
        var groups: [StoreConfiguration.SubscriptionGroup] = []
        for (number, group) in (file.subscriptionGroups ?? []).enumerated() {
            let subscriptions = group.subscriptions ?? []
            let description = StoreConfiguration.SubscriptionGroup(
                identifier: group.id,
                name: group.name ?? "",
                localizations: localizations(group.localizations, at: "subscriptionGroups[\(number)]"),
                productIdentifiers: subscriptions.map(\.productID)
            )
            groups.append(description)
            for (index, subscription) in subscriptions.enumerated() {
                let place = Place.subscription(index, ofGroup: number)
                try add(try self.subscription(subscription, in: description, at: place), at: place, to: &shelf)
            }
        }
        warnOfRepeatedOffers(in: file)
        warnOfProducts(in: file.subscriptionSuiteGroups, "subscriptionSuiteGroups", "suites")
        warnOfProducts(in: file.subscriptionBundleGroups, "subscriptionBundleGroups", "bundles")
        return StoreConfiguration(
            identifier: file.identifier,
            version: version,
            products: shelf.products,
            subscriptionGroups: groups,
            settings: try settings(file.settings),
            subscriptionOffersKeyPair: try keyPair(file.subscriptionOffersKeyPair),
            warnings: warnings.list,
            keyWarnings: keyWarnings
        )
    }

    private func warnOfProducts(in groups: [StorekitFile.CombinedGroup]?, _ list: String, _ kind: String) {
        for (number, group) in (groups ?? []).enumerated() {
            for (index, product) in (group.subscriptions ?? []).enumerated() {
                let name = product.productID.map(Expectation.quoted) ?? "the product"
                warn(
                    "\(list)[\(number)].subscriptions[\(index)]",
                    "\(name) is not sold: \(kind) of subscriptions are not yet"
                )
            }
        }
    }

    func warn(_ path: String, _ reason: String) {
        warnings.list.append(StoreConfiguration.Warning(file: file, path: path, reason: reason))
    }

    /// Adds a warning in the words of an error, and what becomes of the place.
    func warn(_ error: StoreConfigurationError, _ consequence: String) {
        warn(error.path, "expected \(error.expected), found \(error.found); \(consequence)")
    }

    func problem(_ path: String, _ expected: String, _ found: String) -> StoreConfigurationError {
        StoreConfigurationError(file: file, path: path, expected: expected, found: found)
    }
}
