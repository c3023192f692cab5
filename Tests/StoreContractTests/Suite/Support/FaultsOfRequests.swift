import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofRequests: [Fault] = [
        Fault(ChangesItsClock.self, .clockStays),
        Fault(IsNeverQuiet.self, .goesQuiet).within(seconds: 2),
        Fault(LeavesOutInvalid.self, .productsComplete),
        Fault(FindsEverythingTwice.self, .productsComplete),
        Fault(SaysThatEverythingSells.self, .sellsAgrees),
        Fault(HasNoReceipts.self, .receiptsGiven),
        Fault(HasReceiptsForEverything.self, .unknownHasNoReceipt),
        Fault(NeverRefreshes.self, .refreshAnswered),
    ]
}

/// Has another clock each time.
private final class ChangesItsClock: SpoiltStore, @unchecked Sendable {
    override var clock: any StoreClock { ManualClock() }
}

/// Begins something with each look-up, and ends nothing.
private final class IsNeverQuiet: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        _ = clock.activity.begin()
        super.submit(commands, reply: reply)
    }
}

/// Says nothing of what it does not sell.
private final class LeavesOutInvalid: SpoiltStore, @unchecked Sendable {
    override func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        store.products(identifiers) { result in reply(result.map { ProductsAnswer(products: $0.products) }) }
    }
}

/// Has each product twice.
private final class FindsEverythingTwice: SpoiltStore, @unchecked Sendable {
    override func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        store.products(identifiers) { result in
            reply(
                result.map {
                    ProductsAnswer(products: $0.products + $0.products, invalidIdentifiers: $0.invalidIdentifiers)
                }
            )
        }
    }
}

/// Does not know what it sells.
private final class SaysThatEverythingSells: SpoiltStore, @unchecked Sendable {
    override func sells(_ productIdentifier: String) -> Bool? { true }
}

/// Claims receipts and has none.
private final class HasNoReceipts: SpoiltStore, @unchecked Sendable {
    override func receipt(forTransaction identifier: String) -> Data? { nil }
}

/// Has a receipt for what nobody bought.
private final class HasReceiptsForEverything: SpoiltStore, @unchecked Sendable {
    override func receipt(forTransaction identifier: String) -> Data? { Data("receipt".utf8) }
}

/// Does not answer.
private final class NeverRefreshes: SpoiltStore, @unchecked Sendable {
    override func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {}
}
