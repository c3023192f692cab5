/// The consumables that an account has bought and no app has finished, by product.
///
/// The collection costs almost nothing if each consumable is finished before the next is bought.
struct UnfinishedConsumables: Sendable {
    private var last: (product: ProductIndex, transaction: TransactionNumber)?
    /// The consumables that were unfinished when another one was bought.
    private var earlier: [ProductIndex: GrantList] = [:]

    /// The unfinished transactions of a product: the last one bought, unless it is of another product, and the others.
    subscript(product: ProductIndex) -> (last: TransactionNumber?, earlier: GrantList) {
        let last = last?.product == product ? last?.transaction : nil
        return (last, earlier.isEmpty ? GrantList() : earlier[product, default: GrantList()])
    }

    @inline(__always)
    mutating func insert(_ transaction: TransactionNumber, of product: ProductIndex) {
        if last != nil { moveLastToEarlier() }
        last = (product, transaction)
    }

    @inline(never)
    private mutating func moveLastToEarlier() {
        if let last { earlier[last.product, default: GrantList()].insert(last.transaction) }
    }

    @inline(__always)
    mutating func remove(_ transaction: TransactionNumber, of product: ProductIndex) {
        if let last, last.transaction == transaction {
            self.last = nil
        } else {
            removeEarlier(transaction, of: product)
        }
    }

    @inline(never)
    private mutating func removeEarlier(_ transaction: TransactionNumber, of product: ProductIndex) {
        earlier[product]?.remove(sequence: transaction.rawValue)
        if earlier[product]?.isEmpty == true { earlier[product] = nil }
    }
}

extension UnfinishedConsumables: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        pack.add(last?.product)
        pack.add(last?.transaction)
        let products = earlier.keys.sorted()
        pack.add(products)
        for product in products { pack.add(earlier[product].map { Array($0.oldestFirst) } ?? []) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        let product: ProductIndex? = try pack.optionalNumber()
        let transaction: TransactionNumber? = try pack.optionalNumber()
        if let product, let transaction { last = (product, transaction) }
        let products: [ProductIndex] = try pack.numbers()
        for product in products {
            var list = GrantList()
            for number: TransactionNumber in try pack.numbers() { list.insert(number) }
            earlier[product] = list
        }
    }
}

extension SandboxState {
    /// Removes a consumable that is finished or deleted.
    @inline(__always)
    mutating func forgetConsumable(_ row: borrowing Row, _ number: TransactionNumber) {
        guard row.history == nil, row.transaction.state == .purchased, let account = row.account,
            let product = row.product
        else { return }
        accounts[account].consumables.remove(number, of: product)
    }
}
