// Price changes by the operator.
extension Model {
    /// Changes a product's price; subscribers who would pay more are asked.
    mutating func raisePrice(of product: Product, to cents: Int) {
        let old = prices[product]
        prices.raise(product, to: cents)
        if prices.isLocal(product) { return }
        for account in accounts.indices where accounts[account].subscription?.renewsAs == product {
            accounts[account].subscription?.consider(prices[product], insteadOf: old)
        }
    }
}
