import Foundation

extension StorekitFileReader {
    /// The products read so far, and where each was found.
    struct Shelf {
        private(set) var products: [SandboxProduct] = []
        private var indices: [String: Int] = [:]
        private let sizes: (products: Int, nonRenewing: Int, groups: [Int])

        init(file: StorekitFile) {
            sizes = (
                file.products?.count ?? 0,
                file.nonRenewingSubscriptions?.count ?? 0,
                (file.subscriptionGroups ?? []).map { $0.subscriptions?.count ?? 0 }
            )
            let count = sizes.products + sizes.nonRenewing + sizes.groups.reduce(0, +)
            products.reserveCapacity(count)
            indices.reserveCapacity(count)
        }

        /// Puts a product behind the others; answers with the place of another one with its identifier.
        mutating func add(_ product: SandboxProduct) -> String? {
            if let twin = indices.updateValue(products.count, forKey: product.identifier) { return place(of: twin) }
            products.append(product)
            return nil
        }

        /// Where in the file the product with a running number is.
        func place(of index: Int) -> String {
            if index < sizes.products { return "products[\(index)]" }
            var rest = index - sizes.products
            if rest < sizes.nonRenewing { return "nonRenewingSubscriptions[\(rest)]" }
            rest -= sizes.nonRenewing
            for (group, size) in sizes.groups.enumerated() {
                if rest < size { return "subscriptionGroups[\(group)].subscriptions[\(rest)]" }
                rest -= size
            }
            return "products"
        }
    }

    func add(_ product: SandboxProduct, to shelf: inout Shelf) throws(StoreConfigurationError) {
        let index = shelf.products.count
        guard let twin = shelf.add(product) else { return }
        throw problem(
            "\(shelf.place(of: index)).productID",
            "an identifier of its own",
            "\(Expectation.quoted(product.identifier)), which \(twin) has too"
        )
    }

    func product(
        _ product: StorekitFile.Product,
        or usual: SandboxProduct.Kind? = nil,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> SandboxProduct {
        let kind: SandboxProduct.Kind
        switch product.type {
        case "Consumable": kind = .consumable
        case "NonConsumable": kind = .nonConsumable
        case "NonRenewingSubscription": kind = .nonRenewing
        case nil where usual != nil: kind = usual!
        case let other:
            throw problem(
                "\(place()).type",
                Expectation.productType,
                other.map(Expectation.quoted) ?? "nothing"
            )
        }
        return SandboxProduct(
            identifier: try identifier(product.productID, at: place()),
            kind: kind,
            referenceName: product.referenceName ?? product.productID,
            price: try price(product.displayPrice, at: "\(place()).displayPrice"),
            localizations: localizations(product.localizations),
            isFamilyShareable: product.familyShareable ?? false,
            internalIdentifier: product.internalID
        )
    }

    func subscription(
        _ product: StorekitFile.Subscription,
        in group: String,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> SandboxProduct {
        if let type = product.type, type != "RecurringSubscription" {
            throw problem("\(place()).type", "\"RecurringSubscription\"", Expectation.quoted(type))
        }
        let subscription = SandboxProduct.Subscription(
            groupIdentifier: group,
            level: try whole(product.groupNumber, or: 1, from: 1, at: "\(place()).groupNumber"),
            period: try period(
                product.recurringSubscriptionPeriod,
                at: "\(place()).recurringSubscriptionPeriod"
            ),
            introductoryOffers: try introductoryOffers(of: product, at: place()),
            promotionalOffers: try promotionalOffers(product.adHocOffers, at: "\(place()).adHocOffers"),
            codeOffers: try codeOffers(product.codeOffers, at: "\(place()).codeOffers"),
            winBackOffers: try winBackOffers(product.winbackOffers, at: "\(place()).winbackOffers")
        )
        return SandboxProduct(
            identifier: try identifier(product.productID, at: place()),
            kind: .autoRenewable,
            referenceName: product.referenceName ?? product.productID,
            price: try price(product.displayPrice, at: "\(place()).displayPrice"),
            localizations: localizations(product.localizations),
            isFamilyShareable: product.familyShareable ?? false,
            internalIdentifier: product.internalID,
            subscription: subscription
        )
    }

    func localizations(_ localizations: [StorekitFile.Localization]?) -> [SandboxProduct.Localization] {
        (localizations ?? []).map {
            SandboxProduct.Localization(
                locale: $0.locale ?? "en_US",
                title: $0.displayName ?? "",
                description: $0.description ?? ""
            )
        }
    }

    private func identifier(_ text: String, at place: @autoclosure Place) throws(StoreConfigurationError) -> String {
        guard text.isEmpty else { return text }
        throw problem("\(place()).productID", Expectation.key("productID"), "\"\"")
    }
}

// MARK: - Values

extension StorekitFileReader {
    func price(_ text: String, at place: @autoclosure Place) throws(StoreConfigurationError) -> Decimal {
        do {
            return try ExactPrice.read(text)
        } catch {
            let expected =
                switch error {
                case .malformed: Expectation.price
                case .negative: "a price of at least 0"
                case .tooLong: "a price of at most \(ExactPrice.maximumDigits) digits"
                }
            throw problem(place(), expected, Expectation.quoted(text))
        }
    }

    /// Reads `P`, a number of at most four digits, and `D`, `W`, `M` or `Y`.
    func period(
        _ text: String,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> StoreProduct.Period {
        var letters = text.utf8.makeIterator()
        var count = 0
        if letters.next() == UInt8(ascii: "P") {
            while let letter = letters.next(), count < 1000 {
                switch letter {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    count = count * 10 + Int(letter - UInt8(ascii: "0"))
                    continue
                case UInt8(ascii: "D"), UInt8(ascii: "W"), UInt8(ascii: "M"), UInt8(ascii: "Y"):
                    guard count > 0, letters.next() == nil else { break }
                    return StoreProduct.Period(count, Self.unit(letter))
                default: break
                }
                break
            }
        }
        throw problem(place(), Expectation.duration, Expectation.quoted(text))
    }

    private static func unit(_ letter: UInt8) -> StoreProduct.Period.Unit {
        switch letter {
        case UInt8(ascii: "D"): .day
        case UInt8(ascii: "W"): .week
        case UInt8(ascii: "M"): .month
        default: .year
        }
    }

    func whole(
        _ number: Double?,
        or usual: Int,
        from least: Int,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> Int {
        guard let number else { return usual }
        if let whole = Int(exactly: number), whole >= least { return whole }
        let found = Int(exactly: number).map(String.init) ?? "\(number)"
        throw problem(place(), least > .min ? "a whole number from \(least)" : "a whole number", found)
    }
}
