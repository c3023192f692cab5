import Foundation

/// The products of one sandbox, in the order in which they were registered, with their availability.
///
/// A product's index never changes: withdrawn products stay registered.
struct Catalog: Sendable {
    private var products = Table<ProductIndex, SandboxProduct>()
    /// The payments for renewals without an application username, each created when a product first needs one.
    private var payments: [ProductIndex: StorePayment] = [:]
    /// The last payment for each product that ``shared(_:for:)`` has returned.
    private var lastPayments: [ProductIndex: StorePayment] = [:]
    /// The index of each product identifier, derived from `products`.
    private var indices: [ExactText: ProductIndex] = [:]
    /// The product that was sold last, which is likely to be requested next.
    ///
    /// A look-up checks it first, since a comparison is quicker than hashing.
    var lastSold: ProductIndex?
    /// The availability of each product that is not on sale.
    private var restrictions: [ProductIndex: ProductAvailability] = [:]
    private var shelves: [Shelf] = []
    /// The hosted content of each product.
    private var contents: [ProductIndex: [StoreContent]] = [:]
    /// The storefront's country, ISO 3166-1 alpha-3.
    var countryCode = "USA"
    /// Whether a bundle of subscriptions was ever registered.
    private(set) var hasBundles = false
    /// Whether there is a generic product of Advanced Commerce, or was one.
    private var hasGenericProducts = false
    var storefront: StoreStorefront? { Storefronts.storefront(countryCode) }

    /// The product descriptions in one language and for one country, created when first requested.
    private struct Shelf: Sendable {
        let locale: String
        let countryCode: String?
        var descriptions: Table<ProductIndex, StoreProduct?>
    }

    /// The maximum number of combinations of language and country whose descriptions are cached.
    private static let maximumShelves = 16

    /// Creates a catalog without products.
    init() {}

    /// Creates a catalog of products, all on sale.
    ///
    /// - Throws: an error for the first product that is invalid or repeats an earlier identifier.
    init(_ products: [SandboxProduct]) throws(CatalogError) {
        indices.reserveCapacity(products.count)
        self.products = Table(products)
        for (index, product) in zip(self.products.indices, products) {
            try Self.check(product)
            if let first = indices.updateValue(index, forKey: ExactText(product.identifier)) {
                throw CatalogError(
                    productIdentifier: product.identifier,
                    reason: """
                        the product "\(product.identifier)" is there twice, at \(first.rawValue) and at \(index.rawValue): \
                        an identifier names one product
                        """
                )
            }
        }
        for index in self.products.indices { noteContent(of: index) }
        hasBundles = products.contains { $0.kind == .subscriptionBundle }
        hasGenericProducts = products.contains(where: \.isAdvancedCommerce)
    }

    /// Reserves the memory for a number of products in all.
    mutating func reserveCapacity(_ count: Int) {
        products.reserveCapacity(count)
        indices.reserveCapacity(count)
    }

    /// Returns the index of a product; nil if the identifier is not registered.
    func index(of identifier: String) -> ProductIndex? {
        if let lastSold, products[lastSold].identifier.isExactly(identifier) { return lastSold }
        return indices[ExactText(identifier)]
    }

    /// The number of registered products, including withdrawn ones.
    var count: Int { products.count }

    /// All registered products, including withdrawn ones.
    var allProducts: [SandboxProduct] { Array(products) }

    /// Returns the index of the first product that satisfies a predicate.
    func firstIndex(where isWanted: (SandboxProduct) -> Bool) -> ProductIndex? { products.firstIndex(where: isWanted) }

    /// Returns the products of a subscription group that are on sale at a moment.
    func onSale(inGroup group: String, at moment: Date) -> [ProductIndex] {
        products.indices.filter { self.group(of: $0) == group && isOnSale($0, at: moment) }
    }

    /// Returns whether a product has this index.
    func has(_ index: ProductIndex) -> Bool { products.indices.contains(index) }

    /// The product at an index.
    subscript(index: ProductIndex) -> SandboxProduct { products[index] }

    /// Returns the product with an identifier; nil if none is registered.
    func product(_ identifier: String) -> SandboxProduct? { index(of: identifier).map { products[$0] } }

    /// Returns a product's kind, without copying the product as the subscript does.
    func kind(of index: ProductIndex) -> SandboxProduct.Kind { products[index].kind }
    /// Returns whether a product can be restored.
    func isRestorable(_ index: ProductIndex) -> Bool { products[index].kind.isRestorable }
    /// Returns whether a product is a generic one of Advanced Commerce.
    func isAdvancedCommerce(_ index: ProductIndex) -> Bool { products[index].isAdvancedCommerce }
    /// Returns the subscription of a product; nil if the product does not renew.
    func subscription(of index: ProductIndex) -> SandboxProduct.Subscription? { products[index].subscription }
    /// Returns the length of one paid period of a product; nil if the product does not renew.
    func period(of index: ProductIndex) -> StoreProduct.Period? { products[index].subscription?.period }
    /// Returns the introductory offer of a product under a billing plan, whether or not a buyer is eligible.
    func introductoryOffer(of index: ProductIndex, _ plan: StoreProduct.BillingPlan?) -> SubscriptionOffer? {
        products[index].subscription?.introductoryOffer(plan ?? .upFront).map { SubscriptionOffer(.introductory, $0) }
    }
    /// Returns the prices of a product's monthly payments; nil if it is not sold under that plan.
    ///
    /// Only a year is.
    func monthlyTerms(of index: ProductIndex) -> StoreProduct.BillingTerms? {
        guard let subscription = products[index].subscription,
            let terms = subscription.billingPlans.first(where: { $0.plan == .monthly }),
            subscription.isAsLongAsCommitment
        else { return nil }
        return terms
    }
    /// Returns the payment, of quantity one, for a purchase that no app has ordered, such as a renewal.
    mutating func payment(for index: ProductIndex, applicationUsername: String?) -> StorePayment {
        if let applicationUsername {
            return StorePayment(productIdentifier: products[index].identifier, applicationUsername: applicationUsername)
        }
        if let payment = payments[index] { return payment }
        let payment = StorePayment(productIdentifier: products[index].identifier)
        payments[index] = payment
        return payment
    }
    /// Returns an equal payment that is kept already, if the last one for its product is equal.
    ///
    /// Nearly all payments for a product are, so that those of a long history take the memory of one.
    mutating func shared(_ payment: StorePayment, for index: ProductIndex) -> StorePayment {
        if let last = lastPayments[index], last.isIdentical(to: payment) { return last }
        lastPayments[index] = payment
        return payment
    }
    /// Returns the subscription group of a product.
    func group(of index: ProductIndex) -> String? { products[index].subscription?.groupIdentifier }
    /// Whether any product has hosted content.
    var hostsContent: Bool { !contents.isEmpty }
    /// Returns the hosted content of a product.
    func content(of index: ProductIndex) -> [StoreContent] { contents[index] ?? [] }
    private mutating func noteContent(of index: ProductIndex) {
        let content = products[index].hostedContent?.contents(of: products[index].identifier)
        if content != nil || hostsContent { contents[index] = content }
    }
    /// Returns the price of one item in the storefront's country.
    func price(of index: ProductIndex) -> Decimal {
        products[index].storefrontTerms?.prices[countryCode] ?? products[index].price
    }
    /// Returns whether a product has a price of its own in the storefront's country.
    func hasLocalPrice(_ index: ProductIndex) -> Bool { products[index].storefrontTerms?.prices[countryCode] != nil }
    /// Returns whether a product is sold in the storefront's country.
    func isSoldHere(_ index: ProductIndex) -> Bool { products[index].storefrontTerms?.isSold(in: countryCode) ?? true }

    /// Registers a product, or replaces the registered one that has the same identifier.
    ///
    /// A replaced product retains its availability. The product is not validated again: it was validated before the
    /// ledger recorded it.
    mutating func register(_ product: SandboxProduct) {
        if product.kind == .subscriptionBundle { hasBundles = true }
        if product.isAdvancedCommerce { hasGenericProducts = true }
        // A bundle's description contains those of its members.
        if hasBundles {
            for index in products.indices where products[index].kind == .subscriptionBundle {
                for shelf in shelves.indices { shelves[shelf].descriptions[index] = nil }
            }
        }
        if let index = index(of: product.identifier) {
            products[index] = product
            noteContent(of: index)
            for shelf in shelves.indices { shelves[shelf].descriptions[index] = nil }
            return
        }
        let index = products.endIndex
        indices[ExactText(product.identifier)] = index
        products.append(product)
        noteContent(of: index)
        for shelf in shelves.indices { shelves[shelf].descriptions.append(nil) }
    }

    /// Returns the subscriptions that a product includes: the registered members of a bundle.
    func members(of index: ProductIndex) -> [ProductIndex] {
        guard products[index].kind == .subscriptionBundle else { return [] }
        return products[index].subscription?.members.compactMap { member in
            self.index(of: member).flatMap { products[$0].kind == .autoRenewable ? $0 : nil }
        } ?? []
    }

    /// Checks products that are about to be registered together, or in addition to this catalog's, against each other.
    ///
    /// - Throws: an error for the first bundle with a member that is not registered, that is no auto-renewable
    ///   subscription or a generic one, or whose subscription group another member or the bundle has; and for the first
    ///   generic product with another kind of product in its subscription group.
    func checkRelations(of new: [SandboxProduct]) throws(CatalogError) {
        try checkGenericGroups(of: new)
        for bundle in new where bundle.kind == .subscriptionBundle {
            var groups = [bundle.subscription?.groupIdentifier: "the bundle itself"]
            for identifier in bundle.subscription?.members ?? [] {
                let member = new.first { $0.identifier == identifier } ?? product(identifier)
                var fault: String?
                if let member, member.kind == .autoRenewable, let group = member.subscription?.groupIdentifier {
                    fault = groups.updateValue("\"\(identifier)\"", forKey: group).map { other in
                        "in the subscription group \"\(group)\", as is \(other)"
                    }
                } else {
                    fault = member == nil ? "not registered" : "not an auto-renewable subscription"
                }
                if member?.isAdvancedCommerce == true { fault = "generic, and sold by signed requests only" }
                guard let fault else { continue }
                let reason = "the product \"\(bundle.identifier)\" includes \"\(identifier)\", which is \(fault)"
                throw CatalogError(productIdentifier: bundle.identifier, reason: reason)
            }
        }
    }

    /// Checks that generic subscriptions have groups of their own, whose subscriptions are found by requests only.
    private func checkGenericGroups(of new: [SandboxProduct]) throws(CatalogError) {
        guard hasGenericProducts || new.contains(where: \.isAdvancedCommerce) else { return }
        var groups: [String: SandboxProduct] = [:]
        let replaced = Set(new.map { ExactText($0.identifier) })
        let old = products.lazy.filter { !replaced.contains(ExactText($0.identifier)) }
        for product in Array(old) + new {
            guard let group = product.subscription?.groupIdentifier else { continue }
            guard let other = groups.updateValue(product, forKey: group),
                other.isAdvancedCommerce != product.isAdvancedCommerce
            else { continue }
            let (generic, plain) = product.isAdvancedCommerce ? (product, other) : (other, product)
            let reason = """
                the generic product "\(generic.identifier)" is in the subscription group "\(group)", as is \
                "\(plain.identifier)", which is not generic: give it a group of its own
                """
            throw CatalogError(productIdentifier: product.identifier, reason: reason)
        }
    }

    private static func check(_ product: SandboxProduct) throws(CatalogError) {
        guard let fault = product.fault else { return }
        throw CatalogError(
            productIdentifier: product.identifier,
            reason: "the product \"\(product.identifier)\" \(fault)"
        )
    }
}

// MARK: - Availability

extension Catalog {
    /// Sets whether a product is on sale.
    mutating func setAvailability(_ availability: ProductAvailability, of index: ProductIndex) {
        restrictions[index] = availability == .onSale ? nil : availability
    }

    /// Returns the index of a product; nil if it cannot be bought at a moment.
    func onSale(_ identifier: String, at moment: Date) -> ProductIndex? {
        guard let index = index(of: identifier), isOnSale(index, at: moment) else { return nil }
        return index
    }

    /// Returns a sentence that explains why a product cannot be bought at a moment; nil if it can be bought.
    func reasonNotOnSale(_ identifier: String, at moment: Date) -> String? {
        guard let index = index(of: identifier) else {
            return "no product \"\(identifier)\" is registered in this store"
        }
        guard !isOnSale(index, at: moment) else { return nil }
        guard isSoldHere(index) else { return "the product \"\(identifier)\" is not sold in \(countryCode)" }
        return switch restrictions[index] {
        case nil, .onSale: nil
        case .withdrawn: "the product \"\(identifier)\" has been withdrawn from sale"
        case .notYetPropagated(let until):
            "the product \"\(identifier)\" is new and not on all servers before \(until.formatted(.iso8601))"
        }
    }

    func isOnSale(_ index: ProductIndex, at moment: Date) -> Bool {
        guard isSoldHere(index) else { return false }
        if restrictions.isEmpty { return true }
        return switch restrictions[index] {
        case nil, .onSale: true
        case .withdrawn: false
        case .notYetPropagated(let until): moment >= until
        }
    }
}

// MARK: - Product descriptions

extension Catalog {
    /// Returns the identifiers of the products on sale at a moment, in order of registration.
    func identifiersOnSale(at moment: Date) -> [String] {
        products.indices.filter { isOnSale($0, at: moment) }.map { products[$0].identifier }
    }

    /// Returns the description of one product for a device.
    func description(of index: ProductIndex, for locale: String) -> StoreProduct {
        var describer = Describer(locale: locale, storefront: storefront)
        return describer.describe(products[index], members: members(of: index).map { products[$0] })
    }

    /// Returns the result of a product request: the products on sale, and the invalid identifiers.
    ///
    /// Products are in order of registration. Invalid identifiers are sorted, because the order of a set differs in
    /// every process. (Behaviors 78 to 80.)
    mutating func answer(
        _ identifiers: Set<String>,
        for locale: String,
        in storefront: StoreStorefront?,
        at moment: Date
    ) -> ProductsAnswer {
        let shelf = shelf(for: locale, in: storefront)
        var describer: Describer?
        var answer = ProductsAnswer(products: [])
        var found: [ProductIndex] = []
        found.reserveCapacity(Swift.min(identifiers.count, products.count))
        for identifier in identifiers {
            if let index = onSale(identifier, at: moment) {
                found.append(index)
            } else {
                answer.invalidIdentifiers.append(identifier)
            }
        }
        answer.invalidIdentifiers.sort()
        answer.products.reserveCapacity(found.count)
        for index in inOrder(found) {
            if let ready = shelves[shelf].descriptions[index] {
                answer.products.append(ready)
                continue
            }
            if describer == nil { describer = Describer(locale: locale, storefront: storefront) }
            let members = members(of: index).map { products[$0] }
            let description = describer!.describe(products[index], members: members)
            shelves[shelf].descriptions[index] = description
            answer.products.append(description)
        }
        return answer
    }

    /// Returns the products at these indices, in order of registration.
    private func inOrder(_ found: [ProductIndex]) -> [ProductIndex] {
        // Scanning all products costs less than sorting a large share of them.
        guard found.count > products.count / 16 else { return found.sorted() }
        var isMeant = Table<ProductIndex, Bool>([Bool](repeating: false, count: products.count))
        for index in found { isMeant[index] = true }
        return isMeant.indices.filter { isMeant[$0] }
    }

    private mutating func shelf(for locale: String, in storefront: StoreStorefront?) -> Int {
        let code = storefront?.countryCode
        if let found = shelves.firstIndex(where: { $0.locale == locale && $0.countryCode == code }) { return found }
        if shelves.count == Self.maximumShelves { shelves.removeFirst() }
        let empty = [StoreProduct?](repeating: nil, count: products.count)
        shelves.append(Shelf(locale: locale, countryCode: code, descriptions: Table(empty)))
        return shelves.count - 1
    }
}

// MARK: - In bytes

extension Catalog {
    /// The restrictions and the hosted content, of which most catalogs have none.
    private struct RareProperties: Codable {
        var restrictions: [ProductIndex: ProductAvailability]
        var contents: [ProductIndex: [StoreContent]]
    }

    /// Encodes the properties from which all other properties can be derived.
    ///
    /// Whether a bundle was registered cannot: it may be another product by now, with members that are to end.
    func pack(into pack: inout BinaryEncoder) {
        pack.add(countryCode)
        hasBundles.pack(into: &pack)
        pack.add(products.count)
        for product in products { product.pack(into: &pack) }
        let isPlain = restrictions.isEmpty && contents.isEmpty
        isPlain.pack(into: &pack)
        if !isPlain { pack.add(json: RareProperties(restrictions: restrictions, contents: contents)) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        countryCode = try pack.text()
        hasBundles = try Bool(unpacking: &pack)
        for _ in try pack.count() { products.append(try SandboxProduct(unpacking: &pack)) }
        indices.reserveCapacity(products.count)
        for index in products.indices { indices[ExactText(products[index].identifier)] = index }
        hasGenericProducts = products.contains(where: \.isAdvancedCommerce)
        if try Bool(unpacking: &pack) { return }
        let parts = try pack.json(RareProperties.self)
        (restrictions, contents) = (parts.restrictions, parts.contents)
    }
}

/// A converter of products to the descriptions that a device receives, in one language and with one currency.
private struct Describer {
    private var match: LocalizationMatch
    private let priceLocale: String
    private let countryCode: String

    init(locale: String, storefront: StoreStorefront?) {
        let country = storefront.flatMap { Storefronts.country($0.countryCode) } ?? Storefronts.usa
        match = LocalizationMatch(device: locale, storefront: country.locale)
        priceLocale = country.priceLocale
        countryCode = country.storefront.countryCode
    }

    mutating func describe(_ product: SandboxProduct, members: [SandboxProduct]) -> StoreProduct {
        let texts = match.best(of: product.localizations)
        return StoreProduct(
            identifier: product.identifier,
            localizedTitle: texts?.title ?? product.referenceName,
            localizedDescription: texts?.description ?? "",
            price: product.price(in: countryCode),
            priceLocaleIdentifier: priceLocale,
            subscription: product.subscription.map { self.subscription($0, members) },
            isFamilyShareable: product.isFamilyShareable,
            hostedContent: product.hostedContent.map { .init(version: $0.version, lengths: $0.files.map(\.length)) },
            // Store Kit 2 has no type for a free subscription.
            kind: product.kind == .freeSubscription ? .nonConsumable : product.kind,
            internalIdentifier: product.internalIdentifier,
            isAdvancedCommerce: product.isAdvancedCommerce
        )
    }

    private mutating func subscription(
        _ subscription: SandboxProduct.Subscription,
        _ members: [SandboxProduct]
    ) -> StoreProduct.Subscription {
        StoreProduct.Subscription(
            period: subscription.period,
            groupIdentifier: subscription.groupIdentifier,
            introductoryOffer: subscription.introductoryOffer(.upFront)?.terms,
            // Store Kit 1, which has no billing plans, cannot buy the offers under another plan.
            promotionalOffers: subscription.promotionalOffers.filter { $0.billingPlan == .upFront }.map(\.terms),
            groupLevel: subscription.level,
            groupName: match.best(of: subscription.groupLocalizations)?.title ?? subscription.groupName,
            winBackOffers: subscription.winBackOffers.map(\.offer).filter { $0.billingPlan == .upFront }.map(\.terms),
            billingPlans: subscription.billingPlans.filter { $0.plan == .upFront || subscription.isAsLongAsCommitment },
            monthlyOffers: monthlyOffers(subscription),
            bundledSubscriptions: members.compactMap { bundled($0) }
        )
    }

    private mutating func bundled(_ product: SandboxProduct) -> StoreProduct.BundledSubscription? {
        guard let subscription = product.subscription else { return nil }
        let texts = match.best(of: product.localizations)
        return StoreProduct.BundledSubscription(
            identifier: product.identifier,
            localizedTitle: texts?.title ?? product.referenceName,
            localizedDescription: texts?.description ?? "",
            price: product.price(in: countryCode),
            isFamilyShareable: product.isFamilyShareable,
            groupIdentifier: subscription.groupIdentifier,
            groupName: match.best(of: subscription.groupLocalizations)?.title ?? subscription.groupName,
            groupLevel: subscription.level
        )
    }

    private func monthlyOffers(_ subscription: SandboxProduct.Subscription) -> StoreProduct.MonthlyOffers? {
        guard subscription.isAsLongAsCommitment, subscription.billingPlans.contains(where: { $0.plan == .monthly })
        else { return nil }
        let offers = StoreProduct.MonthlyOffers(
            introductory: subscription.introductoryOffer(.monthly)?.terms,
            promotional: subscription.promotionalOffers.filter { $0.billingPlan == .monthly }.map(\.terms),
            winBack: subscription.winBackOffers.map(\.offer).filter { $0.billingPlan == .monthly }.map(\.terms)
        )
        return offers == StoreProduct.MonthlyOffers() ? nil : offers
    }
}

extension SandboxProduct.Subscription {
    /// Whether the subscription is as long as a commitment, without which it is not sold in monthly payments.
    fileprivate var isAsLongAsCommitment: Bool { period.isAsLong(as: .init(1, .year)) }
}

/// The index of a product in a catalog: products are counted from 0 in the order of registration.
struct ProductIndex: TypedNumber { let rawValue: Int }
