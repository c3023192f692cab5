import StoreCore

/// The products of the demo, by their role.
struct Cast: Equatable {
    /// All products, in the file's order.
    let all: [String]
    let consumable: String?
    let nonConsumable: String?
    /// The subscription, a monthly one if there is one.
    let subscription: String?
    let nonRenewing: String
    let freeSubscription: String
    /// The products of kinds that the file lacks, added in code so that every kind can be shown.
    let extras: [SandboxProduct]
    /// The products bought together: three different ones, if there are as many.
    let three: [String]
    /// A product that can be bought repeatedly, if there is one.
    let everyday: String
    /// The product that the user hesitates over; not owned at that point, if there is such a product.
    let temptation: String
    /// An identifier that is not in the file.
    let unknown: String

    /// Chooses the products; nil for a file without products.
    init?(_ products: [SandboxProduct]) {
        func all(_ kind: SandboxProduct.Kind) -> [String] {
            products.filter { $0.kind == kind }.map(\.identifier)
        }
        let preferred = [.consumable, .nonRenewing, .nonConsumable, .autoRenewable, .freeSubscription].flatMap(all)
        guard let everyday = preferred.first else { return nil }
        self.all = products.map(\.identifier)
        self.everyday = everyday
        consumable = all(.consumable).first
        nonConsumable = all(.nonConsumable).first
        let monthly = products.first { $0.subscription?.period == .init(1, .month) }
        subscription = monthly?.identifier ?? all(.autoRenewable).first
        let season = all(.nonRenewing).first
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
