import StoreCore
import StoreSimulator

/// An app of the gallery: a shop that sells swords, a game and a subscription.
protocol GalleryApp: AnyObject, SendableMetatype {
    /// Launches the app.
    init(_ launch: AppLaunch) async
    /// The user taps a product.
    func buy(_ product: String) async throws
    /// The user taps "Three swords".
    func buyThree() async throws
    /// The user taps "Restore purchases".
    func restore() async throws
    /// The number of swords that the user has got, also in earlier launches.
    var swords: Int { get async }
    /// Whether the user may use a product.
    func has(_ product: String) async -> Bool
    /// The number of gifts that the app has made to its users.
    var gifts: Int { get async }
}

extension GalleryApp {
    func buyThree() async throws {}
    func restore() async throws {}
    func has(_ product: String) async -> Bool { false }
    var gifts: Int { get async { 0 } }
}

/// What happens to an app of the gallery, and what is required of it.
struct GalleryRules: Sendable {
    /// The products that the app sells: `sword` (consumable), `game` (non-consumable), `pro` and `basic` (subscriptions).
    var sells = ["sword"]
    /// The kinds of steps that the app does not meet.
    var without: [AppStep.Kind] = []
    /// Whether it must take back what was refunded.
    var takesBackRefunds = false
    /// Whether it must deliver nothing whose signature is wrong.
    var verifiesSignatures = false
    /// Whether the user buys three swords at a time, too.
    var sellsThree = false
    /// The number of its users, who get one gift each at most; 0 where nothing is given.
    var giftedUsers = 0
    /// Whether callbacks come inline, and not on the main actor.
    var isInline = false

    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("game", price: "4.99", isFamilyShareable: true),
        .autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "club", level: 1),
        .autoRenewable("basic", price: "4.99", period: .init(1, .month), group: "club", level: 2),
    ]
}

extension GalleryApp {
    /// The simulation of the app.
    static func simulation(_ rules: GalleryRules) -> AppSimulation<Self> {
        var simulation = AppSimulation(products: GalleryRules.products.filter { rules.sells.contains($0.identifier) }) {
            await Self($0)
        }
        .action("restore") { try await $0.restore() }
        if rules.giftedUsers > 0 {
            simulation = simulation.invariant("its users get one gift each") { await $0.gifts <= rules.giftedUsers }
        }
        for product in rules.sells {
            simulation = simulation.action("buy \(product)") { try await $0.buy(product) }
            if product == "sword" {
                simulation = simulation.holds(product) { await $0.swords }
            } else {
                simulation = simulation.allows(product) { await $0.has(product) }
            }
        }
        if rules.sellsThree { simulation = simulation.action("buy 3 swords") { try await $0.buyThree() } }
        for kind in rules.without { simulation = simulation.without(kind) }
        if rules.takesBackRefunds { simulation = simulation.takesBackRefunds() }
        if rules.verifiesSignatures { simulation = simulation.verifiesSignatures() }
        return rules.isInline ? simulation.callingInline() : simulation
    }
}
