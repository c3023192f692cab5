/// An account's granted transactions in the lists that are read, all together and by product.
struct AccountLists: Sendable {
    struct Lists: Sendable {
        /// All of them but restored ones.
        var all = GrantList()
        /// Those that an app's history has: all but the finished consumables that are not refunded.
        var current = GrantList()
        /// All of them, in the order in which they were granted or changed last.
        var changed = GrantList()
        /// Those that no app has finished, restored ones too.
        var unfinished = GrantList()
    }

    private(set) var all = Lists()
    private(set) var products: [ProductIndex: Lists] = [:]

    /// Changes the lists that a product's transactions are in.
    mutating func change(_ product: ProductIndex, _ body: (inout Lists) -> Void) {
        body(&all)
        body(&products[product, default: Lists()])
    }

    /// Returns the lists of a product, or of all; nil if there never was a transaction.
    subscript(product: ProductIndex?) -> Lists? { product.map { products[$0] } ?? all }
}
