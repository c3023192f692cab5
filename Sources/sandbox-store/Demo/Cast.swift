import StoreCore

/// The products of the demo, by their role in it.
struct Cast: Equatable {
    /// The identifiers of all products, in the file's order.
    let all: [String]
    let consumable: String?
    let nonConsumable: String?
    /// An auto-renewable subscription, preferably a monthly one.
    let subscription: String?
    let nonRenewing: String
    let freeSubscription: String
    /// A product of the file that each purchase delivers once more.
    let repeatable: String?
    /// The products that the demo adds for the kinds that the file lacks.
    let extras: [SandboxProduct]
    /// The products that are bought at the same time, different ones if possible.
    let three: [String]
    /// A product, preferably one that can be bought repeatedly.
    let everyday: String
    /// The product for the canceled and the declined payment, preferably one that is not owned at that point.
    let temptation: String
    /// An identifier that is not in the file.
    let unknown: String

    /// Chooses the products, or returns nil for a file without products.
    init?(_ products: [SandboxProduct]) {
        func all(_ kind: SandboxProduct.Kind) -> [String] { products.filter { $0.kind == kind }.map(\.identifier) }
        let preferred = [.consumable, .nonRenewing, .nonConsumable, .autoRenewable, .freeSubscription].flatMap(all)
        guard let everyday = preferred.first else { return nil }
        self.all = products.map(\.identifier)
        self.everyday = everyday
        consumable = all(.consumable).first
        nonConsumable = all(.nonConsumable).first
        let monthly = products.first { $0.subscription?.period == .init(1, .month) }
        subscription = monthly?.identifier ?? all(.autoRenewable).first
        let season = all(.nonRenewing).first
        repeatable = consumable ?? season
        nonRenewing = season ?? Self.free("demo.season", in: products)
        freeSubscription = Self.free("demo.magazine", in: products)
        let magazine = SandboxProduct.freeSubscription(freeSubscription, title: "Magazine")
        extras = (season == nil ? [.nonRenewing(nonRenewing, price: "9.99", title: "Season")] : []) + [magazine]
        temptation = subscription ?? everyday
        three = (0..<3).map { preferred[$0 % preferred.count] }
        unknown = Self.free("no.such.product", in: products)
    }

    /// Returns an identifier that no product has.
    private static func free(_ identifier: String, in products: [SandboxProduct]) -> String {
        var identifier = identifier
        while products.contains(where: { $0.identifier == identifier }) { identifier += ".either" }
        return identifier
    }
}
