/// What was so before an event, as far as servers are told of the difference.
struct Past {
    /// A purchase that an event makes.
    struct Purchase {
        let account: AccountID
        let product: ProductIndex
        let transaction: TransactionNumber
        let subscription: SubscriptionChange?
    }

    /// The account's subscription in the group of the purchased product.
    struct Subscription {
        let isEntitled: Bool
        let willRenew: Bool
        let renewsAs: ProductIndex
    }

    let purchase: Purchase?
    /// The account's subscription in the purchased product's group, nil for none.
    private(set) var subscription: Subscription?
    /// Whether the account owned the purchased product.
    private(set) var isOwned = false
    /// Whether the last renewal of the event's subscription could not be charged.
    private(set) var isInTrouble = false

    /// Reads what is so before an event is applied.
    init(_ event: StoreEvent, _ state: SandboxState) {
        purchase = Purchase(event)
        if case .renewed(let subscription, _, _, _) = event {
            isInTrouble = state.subscriptions.trouble(of: subscription) != nil
        }
        guard let purchase else { return }
        isOwned = state.accounts[purchase.account].owned.contains(purchase.product)
        guard let group = state.catalog.group(of: purchase.product),
            let index = state.subscriptions.index(of: group, account: purchase.account)
        else { return }
        subscription = Subscription(
            isEntitled: state.subscriptions.isEntitled(index),
            willRenew: state.subscriptions[index].willRenew,
            renewsAs: state.subscriptions[index].renewsAs
        )
    }
}

extension Past.Purchase {
    /// Creates the purchase that an event makes, nil for an event that makes none.
    fileprivate init?(_ event: StoreEvent) {
        switch event {
        case .sold(let order), .approved(let order):
            guard let account = order.account, let product = order.product else { return nil }
            self.init(
                account: account,
                product: product,
                transaction: order.transaction,
                subscription: order.subscription
            )
        case .held(let order, _):
            // Of a subscription it changes how that renews; of anything else it changes nothing.
            guard let account = order.account, let product = order.product, let change = order.subscription else {
                return nil
            }
            self.init(account: account, product: product, transaction: order.transaction, subscription: change)
        case .redeemed(let redemption): self.init(redemption.purchase)
        case .operator(.bought(let purchase)), .operator(.resolved(_, let purchase)): self.init(purchase)
        default: return nil
        }
    }

    private init(_ purchase: UnorderedPurchase) {
        self.init(
            account: purchase.account,
            product: purchase.product,
            transaction: purchase.transaction,
            subscription: purchase.subscription
        )
    }
}
