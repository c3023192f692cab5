import Foundation

/// A `.storekit` file in Xcode's format, with any number of products; the same bytes in every run.
enum ConfigurationFile {
    /// Writes a temporary file, which the caller removes.
    static func write(products count: Int) throws -> URL {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("store-bench-\(UUID().uuidString).storekit")
        try encoder.encode(configuration(products: count)).write(to: file)
        return file
    }

    /// Returns a configuration: of ten products, one is a subscription and one does not renew.
    private static func configuration(products count: Int) -> PlainConfiguration {
        let subscriptions = count / 10
        let nonRenewing = count / 10
        let plain = count - subscriptions - nonRenewing
        return PlainConfiguration(
            identifier: internalID(0),
            nonRenewingSubscriptions: (0..<nonRenewing).map { product(plain + $0, type: "NonRenewingSubscription") },
            products: (0..<plain).map {
                product($0, type: $0.isMultiple(of: 2) ? "Consumable" : "NonConsumable")
            },
            settings: PlainConfiguration.Settings(
                _disableDialogs: true,
                _locale: "en_US",
                _storefront: "USA",
                _timeRate: 0
            ),
            subscriptionGroups: stride(from: 0, to: subscriptions, by: periods.count).map { first in
                let numbers = first..<min(first + periods.count, subscriptions)
                return group(first / periods.count, of: numbers.map { plain + nonRenewing + $0 })
            },
            version: PlainConfiguration.Version(major: 4, minor: 0)
        )
    }

    private static let periods = ["P1W", "P1M", "P3M", "P6M", "P1Y"]

    private static func product(_ number: Int, type: String) -> PlainConfiguration.Product {
        PlainConfiguration.Product(
            displayPrice: price(number),
            familyShareable: type == "NonConsumable" && number.isMultiple(of: 3),
            internalID: internalID(number),
            localizations: localizations(number),
            productID: "com.example.game.item.\(number)",
            referenceName: "Item \(number)",
            type: type
        )
    }

    private static func group(_ number: Int, of products: [Int]) -> PlainConfiguration.Group {
        let id = internalID(1_000_000 + number)
        return PlainConfiguration.Group(
            id: id,
            localizations: [],
            name: "Pass \(number)",
            subscriptions: products.enumerated().map { level, product in
                subscription(product, level: level, group: id)
            }
        )
    }

    private static func subscription(_ number: Int, level: Int, group: String) -> PlainConfiguration.Subscription {
        let introductory = PlainConfiguration.Offer(
            displayPrice: "0.49",
            internalID: internalID(2_000_000 + number),
            numberOfPeriods: 3,
            paymentMode: "payAsYouGo",
            subscriptionPeriod: periods[level]
        )
        let promotional = PlainConfiguration.Offer(
            internalID: internalID(3_000_000 + number),
            offerID: "com.example.game.offer.\(number)",
            paymentMode: "free",
            referenceName: "Offer \(number)",
            subscriptionPeriod: "P1W"
        )
        return PlainConfiguration.Subscription(
            adHocOffers: number.isMultiple(of: 2) ? [promotional] : [],
            codeOffers: [],
            displayPrice: price(number),
            familyShareable: false,
            groupNumber: level + 1,
            internalID: internalID(number),
            introductoryOffer: number.isMultiple(of: 3) ? introductory : nil,
            localizations: localizations(number),
            productID: "com.example.game.pass.\(number)",
            recurringSubscriptionPeriod: periods[level],
            referenceName: "Pass \(number)",
            subscriptionGroupID: group,
            type: "RecurringSubscription",
            winbackOffers: []
        )
    }

    private static func localizations(_ number: Int) -> [PlainConfiguration.Localization] {
        [
            PlainConfiguration.Localization(
                description: "A chest with \(number) coins for the village",
                displayName: "Chest \(number)",
                locale: "en_US"
            ),
            PlainConfiguration.Localization(
                description: "Eine Truhe mit \(number) Münzen für das Dorf",
                displayName: "Truhe \(number)",
                locale: "de_DE"
            ),
        ]
    }

    private static func price(_ number: Int) -> String { "\(number % 100).99" }

    /// Returns eight hexadecimal digits, not consecutive ones.
    private static func internalID(_ number: Int) -> String {
        let mixed = UInt32(truncatingIfNeeded: number &+ 1) &* 2_654_435_761
        return String(format: "%08X", mixed)
    }
}
