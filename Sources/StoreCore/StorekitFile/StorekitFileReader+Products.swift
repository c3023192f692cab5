import Foundation

extension StorekitFileReader {
    /// The products read so far, with their places.
    struct Shelf {
        private(set) var products: [SandboxProduct] = []
        private var indices: [ExactText: Int] = [:]
        /// The places of suites and bundles, some of which are left out of the products.
        private var combined: [Int: Place] = [:]
        private let file: StorekitFile

        init(file: StorekitFile) {
            self.file = file
            let subscriptions = (file.subscriptionGroups ?? []).lazy.map { $0.subscriptions?.count ?? 0 }
            let others = (file.products?.count ?? 0) + (file.nonRenewingSubscriptions?.count ?? 0)
            let count = subscriptions.reduce(others, +)
            products.reserveCapacity(count)
            indices.reserveCapacity(count)
        }

        /// Adds a product; returns the place of an existing one with the same identifier, if there is one.
        mutating func add(_ product: SandboxProduct, at place: Place) -> Place? {
            let identifier = ExactText(product.identifier)
            if product.kind == .subscriptionSuite || product.kind == .subscriptionBundle {
                combined[products.count] = place
            }
            if let twin = indices.updateValue(products.count, forKey: identifier) { return self.place(of: twin) }
            products.append(product)
            return nil
        }

        private func place(of number: Int) -> Place {
            if let place = combined[number] { return place }
            var index = number
            let products = file.products?.count ?? 0
            if index < products { return .product(index) }
            index -= products
            let nonRenewing = file.nonRenewingSubscriptions?.count ?? 0
            if index < nonRenewing { return .nonRenewing(index) }
            index -= nonRenewing
            var group = 0
            for subscriptions in (file.subscriptionGroups ?? []).lazy.map({ $0.subscriptions?.count ?? 0 }) {
                if index < subscriptions { break }
                index -= subscriptions
                group += 1
            }
            return .subscription(index, ofGroup: group)
        }
    }

    func add(_ product: SandboxProduct, at place: Place, to shelf: inout Shelf) throws(StoreConfigurationError) {
        guard let twin = shelf.add(product, at: place) else { return }
        let found = "\(Expectation.quoted(product.identifier)), which \(twin) has too"
        throw problem(place.path("productID"), "an identifier of its own", found)
    }

    func product(
        _ product: StorekitFile.Product,
        or usual: SandboxProduct.Kind? = nil,
        at place: Place
    ) throws(StoreConfigurationError) -> SandboxProduct {
        let kind: SandboxProduct.Kind
        switch product.type {
        case "Consumable": kind = .consumable
        case "NonConsumable": kind = .nonConsumable
        case "NonRenewingSubscription": kind = .nonRenewing
        case nil where usual != nil: kind = usual!
        case let other:
            let found = other.map(Expectation.quoted) ?? "nothing"
            throw problem(place.path("type"), Expectation.productType, found)
        }
        var read = SandboxProduct(
            identifier: try identifier(product.productID, at: place),
            kind: kind,
            referenceName: product.referenceName ?? product.productID,
            price: try productPrice(product.displayPrice, at: place),
            localizations: localizations(product.localizations, at: place.description),
            isFamilyShareable: product.familyShareable ?? false,
            internalIdentifier: product.internalID
        )
        if let offers = product.codeOffers { read.offerCodes = try oneTimeOffers(offers, at: place) }
        return read.genericByName
    }

    func subscription(
        _ product: StorekitFile.Subscription,
        _ list: Place.GroupList,
        in group: StoreConfiguration.SubscriptionGroup,
        at place: Place
    ) throws(StoreConfigurationError) -> SandboxProduct {
        let (kind, name): (SandboxProduct.Kind, String) =
            switch list {
            case .subscriptions: (.autoRenewable, "RecurringSubscription")
            case .suites: (.subscriptionSuite, "SubscriptionSuite")
            case .bundles: (.subscriptionBundle, "SubscriptionBundle")
            }
        if let type = product.type, type != name {
            throw problem(place.path("type"), "\"\(name)\"", Expectation.quoted(type))
        }
        let isPlain = kind == .autoRenewable
        let periodKey = isPlain ? "recurringSubscriptionPeriod" : "duration"
        guard let period = isPlain ? product.recurringSubscriptionPeriod : product.duration else {
            throw problem(place.path(periodKey), Expectation.duration, "nothing")
        }
        if let other = product.subscriptionGroupID, other != group.identifier {
            let expected = "the identifier of its group, \(Expectation.quoted(group.identifier))"
            throw problem(place.path("subscriptionGroupID"), expected, Expectation.quoted(other))
        }
        return SandboxProduct(
            identifier: try identifier(product.productID, at: place),
            kind: kind,
            referenceName: product.referenceName ?? product.productID,
            price: try productPrice(product.displayPrice, at: place),
            localizations: localizations(product.localizations, at: place.description),
            isFamilyShareable: (isPlain ? product.familyShareable : product.isFamilyShareable) ?? false,
            internalIdentifier: product.internalID,
            subscription: SandboxProduct.Subscription(
                groupIdentifier: group.identifier,
                level: try whole(product.groupNumber, or: 1, from: 1, at: place.path("groupNumber")),
                period: try self.period(period, at: place, periodKey),
                introductoryOffers: try introductoryOffers(of: product, at: place),
                promotionalOffers: try promotionalOffers(product.adHocOffers, at: place),
                offerCodes: try codeOffers(product.codeOffers, at: place),
                winBackOffers: try winBackOffers(product.winbackOffers, at: place),
                groupName: group.name.isEmpty ? nil : group.name,
                groupLocalizations: group.localizations,
                billingPlans: try billingPlans(product.billingPlans, at: place),
                members: list == .suites ? (product.members ?? []).compactMap(\.identifier) : []
            )
        ).genericByName
    }

    func localizations(
        _ localizations: [StorekitFile.Localization]?,
        at place: @autoclosure () -> String
    ) -> [SandboxProduct.Localization] {
        var read = (localizations ?? []).map {
            SandboxProduct.Localization(
                locale: $0.locale ?? "en_US",
                title: $0.displayName ?? "",
                description: $0.description ?? ""
            )
        }
        // A warning rather than an error, since Xcode writes files with repeated locales.
        let twins = Repetition.all(in: read.lazy.map(\.locale))
        for twin in twins {
            let list = "\(place()).localizations"
            warn(repetition(twin, in: list, key: "locale", expected: "a locale of its own"), "the first one counts")
        }
        for twin in twins.reversed() { read.remove(at: twin.index) }
        return read
    }

    private func identifier(_ text: String, at place: Place) throws(StoreConfigurationError) -> String {
        guard text.isEmpty else { return text }
        throw problem(place.path("productID"), Expectation.key("productID"), "\"\"")
    }
}
