/// The products and prices of each country.
struct Prices: Equatable {
    typealias Product = SimulatedOperation.Product

    var country = SimulatedOperation.Country.usa
    /// The operator's price changes, in cents.
    private var raised: [Product: Int] = [:]

    /// The price in cents.
    subscript(product: Product) -> Int {
        switch (product, country) {
        case (.sword, .germany): 109
        case (.gold, .germany): 1_099
        default: raised[product] ?? Self.initial(product)
        }
    }

    /// Whether the country has its own price for a product.
    func isLocal(_ product: Product) -> Bool { [.sword, .gold].contains(product) && country == .germany }

    private static func initial(_ product: Product) -> Int {
        switch product {
        case .sword: 99
        case .gift: 199
        case .shield: 299
        case .game, .basic: 499
        case .season: 799
        case .gold: 999
        case .silver: 899
        case .journal: 4_999
        case .films: 399
        case .songs: 299
        case .bundle: 599
        case .generic, .pass: 29
        case .ghost: 0
        }
    }

    /// Returns the price in cents of a payment of a year that is paid monthly.
    func monthly(_ product: Product) -> Int { product == .journal ? 449 : self[product] }

    func isSold(_ product: Product) -> Bool {
        switch (product, country) {
        case (.silver, .germany), (.season, .germany), (.game, .france), (.shield, .france): false
        default: true
        }
    }

    /// Changes a price; countries with their own keep it.
    mutating func raise(_ product: Product, to cents: Int) { raised[product] = cents }
}
