import StoreCore

/// Which product plays which part in the demo.
struct Cast: Equatable {
    /// In the file's order.
    let all: [String]
    let consumable: String?
    let nonConsumable: String?
    let subscription: String?
    /// Bought together: three different ones, if there are so many.
    let three: [String]
    /// What can be bought again and again, as far as there is such a product.
    let everyday: String
    /// What the user cannot make up his mind about; not owned at that point, as far as there is such a product.
    let temptation: String
    /// Whether a restore can bring anything back.
    let hasRestorable: Bool
    /// An identifier that the file does not have.
    let unknown: String

    /// Nil for a file without products.
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
        subscription = all(.autoRenewable).first
        temptation = subscription ?? everyday
        three = (0..<3).map { preferred[$0 % preferred.count] }
        hasRestorable = products.contains { $0.kind != .consumable && $0.kind != .nonRenewing }
        var unknown = "no.such.product"
        while self.all.contains(unknown) { unknown += ".either" }
        self.unknown = unknown
    }
}
