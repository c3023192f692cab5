import StoreCore

extension Scenario {
    /// The scenario of the history of purchases.
    static let readingHistory = Scenario(
        promises: ContractPromise.ofHistory.filter { ![.revocationsFound, .subscriptionsFound].contains($0) }
    ) { harness in
        try harness.expectHistory()
        try harness.askTheRest()
        var sales = Sales()
        try harness.expectAnswers(sales, " of an account that bought nothing")

        let products = harness.subject.products
        let refused = harness.buy(products.unknown)
        try harness.submit([refused], .refusalsAreUpdates)
        try harness.expectDecided([refused])
        for product in [products.consumable, products.restorable, products.consumable].compactMap({ $0 }) {
            sales.sold += try harness.sell([harness.buy(product)])
        }
        sales.sold += try harness.expectNotice(of: "a sale") { try harness.sell([harness.buy(products.consumable)]) }
        try harness.quiet()
        try harness.expectAnswers(sales, "")

        let finished = sales.sold.filter { $0.payment.productIdentifier == products.restorable } + [sales.sold[0]]
        try harness.expectNotice(of: "a finish") { _ = try harness.finish(finished) }
        sales.finished = Set(finished.map(\.identifier))
        try harness.expectAnswers(sales, " after some were finished")

        try harness.sellBetweenPages(.all, &sales)
        try harness.sellBetweenPages(.unfinished, &sales)
        try harness.expectAnswers(sales, " after more was sold")
        guard harness.store.reopen != nil else {
            return harness.results.skip([.historyRemains], because: "the subject has no way to open a store again")
        }
        try harness.expectSame()
    }

    /// The scenario of refunds, which the store's operator makes.
    static let refunding = Scenario(promises: [.revocationsFound]) { harness in
        try harness.expectHistory()
        guard let refund = harness.store.refund else { throw Stop(reason: "the subject has no way to refund") }
        let products = harness.subject.products
        var sales = Sales()
        for product in [products.consumable, products.restorable, products.consumable].compactMap({ $0 }) {
            sales.sold += try harness.sell([harness.buy(product)])
        }
        try harness.quiet()
        let beginning = try harness.page(HistoryQuery(.revoked))
        harness.expectRevoked(beginning, are: [], " of an account without refunds")
        var place = beginning.next
        for transaction in sales.sold.dropLast().reversed() {
            try harness.expectNotice(of: "a refund") { try refund(transaction.identifier) }
            try harness.quiet()
            sales.refunded.append(transaction)
            // Reads all refunds, then those after the cursor.
            var query = HistoryQuery(.revoked)
            harness.expectRevoked(try harness.page(query), are: sales.refunded, " from the beginning")
            query.cursor = place
            query.limit = 1
            let page = try harness.page(query)
            harness.expectRevoked(page, are: [transaction], " behind the refund before it")
            place = page.next
        }
        try harness.expectAnswers(sales, " after refunds")
    }

    /// The scenario of a subscription's states.
    static let subscribing = Scenario(promises: [.subscriptionsFound]) { harness in
        try harness.expectHistory()
        guard let product = harness.subject.products.subscription else {
            throw Stop(reason: "the subject names no subscription")
        }
        harness.expect(try harness.subscriptions(.all), " of an account without any", begins: nil)
        let sold = try harness.sell([harness.buy(product)])[0]
        try harness.quiet()
        let found = try harness.page(HistoryQuery(.transactions([sold.identifier]))).transactions.first
        guard let group = found?.payload.subscriptionGroupIdentifier else {
            return harness.results.hold(.subscriptionsFound, false, "\(harness.name(sold)) has no group")
        }
        for query in [.all, .group(group), .transaction(sold.identifier)] as [SubscriptionQuery] {
            harness.expect(try harness.subscriptions(query), ", asked for as \(query),", begins: sold)
        }
        for query in [.group("storecontract.no.such.group"), .transaction("")] as [SubscriptionQuery] {
            harness.expect(try harness.subscriptions(query), ", asked for as \(query),", begins: nil)
        }
    }
}

/// The sales of a scenario, and the expected results of queries.
private struct Sales {
    /// The transactions that were sold, oldest first.
    var sold: [StoreTransaction] = []
    var finished: Set<String> = []
    /// The refunded transactions, in the order of their refunds.
    var refunded: [StoreTransaction] = []

    /// Returns the expected history without finished consumables, newest first.
    func history(without consumable: String) -> [StoreTransaction] {
        sold.reversed().filter {
            $0.payment.productIdentifier != consumable || !finished.contains($0.identifier)
        }
    }

    var unfinished: [StoreTransaction] { sold.filter { !finished.contains($0.identifier) } }

    /// Returns the newest transaction of each product, newest first.
    func latest(without consumable: String) -> [StoreTransaction] {
        var products: Set<String> = []
        return history(without: consumable).filter { products.insert($0.payment.productIdentifier).inserted }
    }

    /// Returns the latest transactions of products other than the consumable, without refunded ones.
    func entitlements(without consumable: String) -> [StoreTransaction] {
        latest(without: consumable).filter {
            $0.payment.productIdentifier != consumable && !refunded.contains($0)
        }
    }
}

extension TestHarness {
    /// Makes the remaining requests, whose results are not checked: they need only arrive.
    fileprivate func askTheRest() throws {
        let _: Result<SignedValue<AppTransactionPayload>, StoreFailure> = try askHistory("a question about the app") {
            $0.appTransaction(reply: $1)
        }
        let _: StoreFailure? = try askHistory("a synchronization") { $0.synchronize(reply: $1) }
        let _: Result<Bool, StoreFailure> = try askHistory("a question about an introductory offer") {
            $0.isEligibleForIntroductoryOffer(inGroup: "storecontract.no.such.group", reply: $1)
        }
        let _: Result<RefundAnswer, StoreFailure> = try askHistory("a request for a refund") {
            $0.requestRefund(ofTransaction: "storecontract-no-such-transaction", reply: $1)
        }
    }

    /// Checks every selection of transactions except the revoked ones.
    fileprivate func expectAnswers(_ sales: Sales, _ when: String) throws {
        let consumable = subject.products.consumable
        let history = sales.history(without: consumable)
        try expect(.all, are: history, .historyComplete, when)
        try expect(.all, isComplete: true, are: sales.sold.reversed(), .historyComplete, when)
        try expect(
            .all,
            ofProduct: consumable,
            are: history.filter { $0.payment.productIdentifier == consumable },
            .historyComplete,
            when
        )
        try expect(.unfinished, are: sales.unfinished, .unfinishedAgrees, when)
        try expect(.entitlements, are: sales.entitlements(without: consumable), .entitlementsAgree, when)
        try expect(.latest, are: sales.latest(without: consumable), .latestAgrees, when)
        // Requests the transactions in an order other than the history's, and an identifier that no transaction has.
        let chosen = Array(history.dropFirst() + history.prefix(1))
        let identifiers = chosen.map(\.identifier) + ["storecontract-no-such-transaction"]
        let found = try page(HistoryQuery(.transactions(identifiers.reversed()))).transactions
        results.hold(
            .identifiersFound,
            found.map(\.payload.transactionId) == chosen.reversed().map(\.identifier),
            "of transactions \(identifiers.reversed())\(when) found were \(found.map(\.payload.transactionId))"
        )
    }

    /// Checks the pages of a query whose first page is followed by a sale.
    fileprivate func sellBetweenPages(_ selection: HistoryQuery.Selection, _ sales: inout Sales) throws {
        var query = HistoryQuery(selection)
        query.limit = 1
        let before = try pages(HistoryQuery(selection))
        var new: [StoreTransaction] = []
        let found = try pages(query) {
            new = try sell([buy(subject.products.consumable)])
            try quiet()
        }
        sales.sold += new
        let isNew = Set(new.map(\.identifier))
        results.hold(
            .pagesCoverAll,
            found.filter { !isNew.contains($0) }.sorted() == before.sorted() && Set(found).count == found.count,
            "when something was sold between pages, they had \(found), and before that \(before)"
        )
    }

    /// Checks that a relaunch does not change the results of queries, correct or not.
    fileprivate func expectSame() throws {
        var queries = [.all, .unfinished, .entitlements, .latest].map { HistoryQuery($0) }
        var first = HistoryQuery(.all)
        first.limit = 1
        // This query has a cursor from before the relaunch.
        queries[0].cursor = try page(first).next
        queries.append(HistoryQuery(.all))
        let before = try queries.map { try pages($0) }
        try reopen()
        for (query, before) in zip(queries, before) {
            let after = try pages(query)
            let why = "the answer has transactions \(after) after the store was opened again, and before that \(before)"
            results.hold(.historyRemains, after == before, why)
        }
    }

    fileprivate func expectRevoked(_ page: HistoryPage, are expected: [StoreTransaction], _ when: String) {
        let found = page.transactions.map(\.payload.transactionId)
        results.hold(
            .revocationsFound,
            found == expected.map(\.identifier),
            "the refunded transactions\(when) are \(found), and expected were \(expected.map(\.identifier))"
        )
        let areDated = page.transactions.allSatisfy { $0.payload.revocationDate != nil }
        results.hold(.revocationsFound, areDated, "a refunded transaction has no date of its refund")
        results.hold(.revocationsFound, page.next != nil, "a page of refunds has no place to go on from")
    }

    /// Checks that exactly the subscription that a transaction began is found; with nil, that none is found.
    fileprivate func expect(_ found: [SignedSubscription], _ when: String, begins sold: StoreTransaction?) {
        let originals = found.map(\.transaction.payload.originalTransactionId)
        let why = "the subscriptions\(when) are those that \(originals) began"
        results.hold(.subscriptionsFound, originals == (sold.map { [$0.identifier] } ?? []), why)
        for subscription in found {
            results.hold(
                .subscriptionsFound,
                subscription.renewal.payload.originalTransactionId
                    == subscription.transaction.payload.originalTransactionId,
                "a subscription's transaction and renewal began with different purchases"
            )
        }
    }
}
