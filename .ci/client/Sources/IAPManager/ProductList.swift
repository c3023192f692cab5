import StoreKit

/// What the app sells, from the property list that it is shipped with.
struct ProductList: Decodable {
    let unlockedForGood: Set<String>
    let usedUp: Set<String>

    var all: Set<String> { unlockedForGood.union(usedUp) }

    static let shipped: ProductList = {
        guard let url = Bundle.module.url(forResource: "ProductIdentifiers", withExtension: "plist"),
            let data = try? Data(contentsOf: url),
            let list = try? PropertyListDecoder().decode(ProductList.self, from: data)
        else { fatalError("the app has been shipped without its list of products") }
        return list
    }()

    private enum CodingKeys: String, CodingKey {
        case unlockedForGood = "Unlocked for good"
        case usedUp = "Used up"
    }
}
