import Foundation
import StoreCore

extension Scenario {
    /// The scenario of requests other than commands.
    static let requesting = Scenario(promises: [
        .clockStays, .productsComplete, .sellsAgrees, .receiptsGiven, .unknownHasNoReceipt, .refreshAnswered,
    ]) { harness in
        let backend = harness.backend
        harness.results.hold(.clockStays, backend.clock === harness.clock, "a store has another clock each time")
        harness.results.hold(.clockStays, backend.lane == backend.lane, "a store has another lane each time")
        try harness.lookUp()
        try harness.readReceipts()
        guard let receipts = backend.services.receipts else {
            return harness.results.skip([.refreshAnswered], because: "the store has no receipts to refresh")
        }
        let _: StoreFailure? = try harness.ask(.refreshAnswered, "a receipt refresh") { _, answer in
            receipts.refreshReceipt(ReceiptProperties()) { answer($0) }
        }
        harness.results.hold(.refreshAnswered, true, "")
    }
}

extension TestHarness {
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

    fileprivate func readReceipts() throws {
        let products = subject.products
        for identifier in ["storecontract-no-such-transaction", ""] {
            let receipt: Data? = try call(.unknownHasNoReceipt, "a question for a receipt") {
                $0.services.receipts?.receipt(forTransaction: identifier)
            }
            results.hold(
                .unknownHasNoReceipt,
                receipt == nil,
                "transaction \"\(identifier)\", which nobody made, has one"
            )
        }
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
