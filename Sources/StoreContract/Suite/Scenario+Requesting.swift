import Foundation
import StoreCore

extension Scenario {
    /// The scenario of requests other than commands.
    static let requesting = Scenario(promises: [
        .clockStays, .callsReturn, .productsComplete, .sellsAgrees, .receiptsGiven, .unknownHasNoReceipt,
        .refreshAnswered,
    ]) { harness in
        let backend = harness.backend
        harness.results.hold(.clockStays, backend.clock === harness.clock, "a store has another clock each time")
        harness.results.hold(.clockStays, backend.lane == backend.lane, "a store has another lane each time")
        try harness.callWhatIsQuick()
        try harness.lookUp()
        try harness.readReceipts()
        let offered: (any ReceiptService)? = try harness.call(.refreshAnswered, "a question for services") {
            $0.services.receipts
        }
        guard let receipts = offered else {
            return harness.results.skip(
                [.refreshAnswered, .unknownHasNoReceipt],
                because: "the store has no receipts to refresh"
            )
        }
        let _: StoreFailure? = try harness.ask(.refreshAnswered, "a receipt refresh") { _, answer in
            receipts.refreshReceipt(ReceiptProperties()) { answer($0) }
        }
        harness.results.hold(.refreshAnswered, true, "")
    }
}

extension Scenario {
    /// The scenario of files that the store hosts.
    static let serving = Scenario(promises: [.contentServed]) { harness in
        guard let product = harness.subject.products.hosted else {
            throw Stop(reason: "the subject names no product with hosted files")
        }
        let sold = try harness.sell([harness.buy(product)])[0]
        harness.results.hold(.contentServed, !sold.content.isEmpty, "\(harness.name(sold)) comes without files")
        for file in sold.content where file.length > 0 {
            let whole = try harness.download(file, of: sold, by: Int(file.length))
            let cut = try harness.download(file, of: sold, by: max(1, Int(file.length) / 3))
            harness.results.hold(
                .contentServed,
                cut == whole,
                "a file has other bytes when it is cut into other pieces"
            )
            var other = file
            other.version = "987654321.0"
            let answer = try harness.fetch(other, of: sold, offset: 0, limit: Int(file.length))
            let isRefused = if case .failure = answer { true } else { false }
            harness.results.hold(.contentServed, isRefused, "a version that was never hosted is sent")
        }
    }

    /// The scenario of changes to how products are promoted.
    static let promoting = Scenario(promises: [.promotionsKept]) { harness in
        let isOffered = try harness.call(.promotionsKept, "a question for services") { $0.services.promotions != nil }
        guard isOffered else { throw Stop(reason: "the store does not offer promotions") }
        let product = harness.subject.products.consumable
        var expected = PromotionOverrides()
        for change in [
            .order([product]), .visibility(productIdentifier: product, isShown: false),
            .visibility(productIdentifier: product, isShown: nil), .only([product], visibility: [product: false]),
            .only([], visibility: nil),
        ] as [PromotionChange] {
            expected.apply(change)
            let failure: StoreFailure?? = try harness.ask(.promotionsKept, "a change of promotions") {
                backend,
                answer in
                guard let promotions = backend.services.promotions else { return answer(nil) }
                promotions.changePromotion(change) { answer(.some($0)) }
            }
            guard failure == .some(nil) else { throw Stop(reason: "a change of promotions was refused") }
            let overrides = try harness.call(.promotionsKept, "a question for overrides") {
                $0.services.promotions?.promotionOverrides
            }
            let why = "the overrides are \(overrides.map { "\($0)" } ?? "gone") after a change to \(expected)"
            harness.results.hold(.promotionsKept, overrides == expected, why)
        }
    }
}

extension TestHarness {
    /// Makes the calls that must not block an app, on a thread other than the store's lane.
    fileprivate func callWhatIsQuick() throws {
        guard let main, let cursor = look({ main.cursor(in: $0) }) else { return }
        let product = subject.products.consumable
        let calls: [(String, @Sendable (any StoreBackend) -> Void)] = [
            ("an acknowledgement", { $0.acknowledge(through: cursor) }),
            ("a question whether the user may pay", { _ = $0.services.availability?.canMakePayments }),
            ("a question whether a product sells", { _ = $0.services.availability?.sells(product) }),
            ("a question for the app's receipt", { _ = $0.services.receipts?.appReceipt }),
            ("a question for a transaction's receipt", { _ = $0.services.receipts?.receipt(forTransaction: "") }),
            ("a question for promotion overrides", { _ = $0.services.promotions?.promotionOverrides }),
            ("a question for price consent", { _ = $0.services.consent?.isPriceConsentPending }),
            ("a question for the device's identifier", { _ = $0.services.history?.deviceVerificationID }),
        ]
        for (what, call) in calls {
            let queue = DispatchQueue(label: "StoreContract.app")
            let answer: Answer<Bool> = begin(on: queue) { backend, answer in
                call(backend)
                answer(true)
            }
            let isBack = wait { $0.done.contains(answer.request) }
            results.hold(.callsReturn, isBack, "\(what) did not return within \(subject.deadline) s")
            guard isBack else { throw Stop(reason: "\(what) did not return") }
        }
    }

    fileprivate func fetch(
        _ file: StoreContent,
        of transaction: StoreTransaction,
        offset: Int64,
        limit: Int
    ) throws -> Result<Data, StoreFailure>? {
        let request = ContentRequest(
            transaction: transaction.identifier,
            productIdentifier: transaction.payment.productIdentifier,
            content: file,
            offset: offset,
            limit: limit
        )
        return try ask(.contentServed, "a question for a file's bytes") { backend, answer in
            guard let content = backend.services.content else { return answer(nil) }
            content.fetchContent(request) { answer($0) }
        }
    }

    /// Returns a file's bytes, downloaded in parts of at most `limit` bytes.
    fileprivate func download(_ file: StoreContent, of transaction: StoreTransaction, by limit: Int) throws -> Data {
        var bytes = Data()
        while bytes.count < file.length {
            guard case .success(let piece)? = try fetch(file, of: transaction, offset: Int64(bytes.count), limit: limit)
            else {
                results.hold(.contentServed, false, "a piece of a file was refused")
                throw Stop(reason: "a file is not sent")
            }
            let isLegal = 1...limit ~= piece.count && bytes.count + piece.count <= file.length
            results.hold(.contentServed, isLegal, "a piece of \(piece.count) bytes came where \(limit) were asked for")
            guard isLegal else { throw Stop(reason: "a file is not sent as it was asked for") }
            bytes += piece
        }
        return bytes
    }

    fileprivate func lookUp() throws {
        let products = subject.products
        let sold = [products.consumable, products.restorable].compactMap { $0 }
        let other = [products.refused, products.waiting].compactMap { $0 }
        let unsold = [products.unknown, "", " ", "\u{7121}\u{3057}", String(repeating: "x", count: 1000)]
        for identifiers in [Set(sold + other + unsold), Set(sold.prefix(1)), Set([products.unknown]), []] {
            let result: Result<ProductsAnswer, StoreFailure> = try ask(.productsComplete, "a look-up") {
                $0.products(identifiers, reply: $1)
            }
            guard case .success(let answer) = result else {
                if case .failure(let failure) = result {
                    results.hold(.productsComplete, false, "a look-up failed: \(failure)")
                }
                throw Stop(reason: "a look-up failed")
            }
            expectCodable(answer, "an answer to a look-up")
            let found = answer.products.map(\.identifier)
            let all = (found + answer.invalidIdentifiers).sorted()
            results.hold(
                .productsComplete,
                all == identifiers.sorted(),
                "\(identifiers.count) identifiers were looked up: \(found.count) are products, \(answer.invalidIdentifiers.count) invalid"
            )
            for identifier in sold where identifiers.contains(identifier) {
                results.hold(.productsComplete, found.contains(identifier), "\(identifier), which sells, is not found")
            }
            for identifier in unsold where identifiers.contains(identifier) {
                let why = "\"\(identifier)\", which nobody sells, is found"
                results.hold(.productsComplete, !found.contains(identifier), why)
            }
            for identifier in identifiers {
                let sells: Bool? = try call(.sellsAgrees, "a question") {
                    $0.services.availability?.sells(identifier)
                }
                guard let sells else { continue }
                results.hold(
                    .sellsAgrees,
                    sells == found.contains(identifier),
                    "\"\(identifier)\" is said \(sells ? "to sell" : "not to sell"), and the look-up says otherwise"
                )
            }
        }
        results.skip([.sellsAgrees], because: "the store does not say at once what sells")
    }

    /// Checks that a failed transaction has no receipt, if the store offers receipts.
    private func readReceiptOfFailure() throws {
        let order = buy(subject.products.unknown)
        try submit([order], .refusalsAreUpdates)
        try expectDecided([order])
        guard let failed = look({ $0.result(of: order.id) }), failed.state == .failed else { return }
        let answer: Data?? = try call(.unknownHasNoReceipt, "a question for a receipt") {
            $0.services.receipts.map { $0.receipt(forTransaction: failed.identifier) }
        }
        guard let receipt = answer else { return }
        let why = "\(name(failed)), which failed, has one"
        results.hold(.unknownHasNoReceipt, receipt == nil && failed.receipt == nil, why)
    }

    fileprivate func readReceipts() throws {
        let products = subject.products
        for identifier in ["storecontract-no-such-transaction", ""] {
            let answer: Data?? = try call(.unknownHasNoReceipt, "a question for a receipt") {
                $0.services.receipts.map { $0.receipt(forTransaction: identifier) }
            }
            guard let receipt = answer else { continue }
            results.hold(
                .unknownHasNoReceipt,
                receipt == nil,
                "transaction \"\(identifier)\", which nobody made, has one"
            )
        }
        try readReceiptOfFailure()
        guard subject.hasReceipts else {
            return results.skip([.receiptsGiven], because: "the store does not claim to have receipts")
        }
        var transactions = try sell([buy(products.consumable)])
        if let restorable = products.restorable {
            try finish(try sell([buy(restorable)]))
            let restore = command(.restore(applicationUsername: nil))
            try submit([restore])
            try expectEnd(restore)
            transactions += look { $0.unfinished }.filter { $0.state == .restored }
        }
        for transaction in transactions {
            let identifier = transaction.identifier
            let receipt: Data? = try call(.receiptsGiven, "a question for a receipt") {
                $0.services.receipts?.receipt(forTransaction: identifier)
            }
            let isThere = !(transaction.receipt ?? receipt ?? Data()).isEmpty
            results.hold(.receiptsGiven, isThere, "\(name(transaction)), \(transaction.state), has no receipt")
        }
    }
}
