import Foundation

/// Makes a configuration from a decoded `.storekit` file, and refuses one of the right shape whose values are invalid.
struct StorekitFileReader {
    typealias Expectation = StorekitFileExpectation
    typealias Place = StorekitFilePlace

    let file: String

    func read(_ file: StorekitFile) throws(StoreConfigurationError) -> StoreConfiguration {
        guard file.version.major <= Double(StoreConfiguration.newestMajorVersion) else {
            throw unsupported(file.version.major)
        }
        let version = StoreConfiguration.Version(
            major: try whole(file.version.major, or: 0, from: 0, at: "version.major"),
            minor: try whole(file.version.minor, or: 0, from: 0, at: "version.minor")
        )
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
                localizations: try localizations(group.localizations, at: "subscriptionGroups[\(number)]"),
                productIdentifiers: subscriptions.map(\.productID)
            )
            groups.append(description)
            for (index, subscription) in subscriptions.enumerated() {
                let place = Place.subscription(index, ofGroup: number)
                try add(try self.subscription(subscription, in: description, at: place), at: place, to: &shelf)
            }
        }
        return StoreConfiguration(
            identifier: file.identifier,
            version: version,
            products: shelf.products,
            subscriptionGroups: groups,
            settings: try settings(file.settings),
            subscriptionOffersKeyPair: try keyPair(file.subscriptionOffersKeyPair),
            warnings: repeatedOffers(in: file)
        )
    }

    func unsupported(_ major: Double) -> StoreConfigurationError {
        let found = Int(exactly: major).map(String.init) ?? "\(major)"
        return problem("version.major", "a format up to \(StoreConfiguration.newestMajorVersion)", found)
    }

    func problem(_ path: String, _ expected: String, _ found: String) -> StoreConfigurationError {
        StoreConfigurationError(file: file, path: path, expected: expected, found: found)
    }
}
