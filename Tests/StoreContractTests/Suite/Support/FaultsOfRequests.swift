import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofRequests: [Fault] = [
        Fault(ChangesItsClock.self, .clockStays),
        Fault(ChangesItsLane.self, .clockStays),
        Fault(BlocksWhileItReadsReceipts.self, .callsReturn).within(seconds: 15),
        Fault(NeverLooksUpProducts.self, .productsComplete),
        Fault(HasReceiptsForFailures.self, .unknownHasNoReceipt),
        // Sends all that is left of a file.
        .content("SendsWholeFiles", .contentServed) { $0.limit = Int($0.content.length) },
        // Sends the first bytes of a file, wherever the download was.
        .content("SendsFromTheBeginning", .contentServed) { request in
            request.limit = min(request.limit, Int(request.content.length - request.offset))
            request.offset = 0
        },
        // Sends the version that it has, whichever is asked for.
        .content("SendsAnyVersion", .contentServed) { $0.content.version = "1.0" },
        Fault(KeepsItsOwnOrder.self, .promotionsKept),
        Fault(HidesForEver.self, .promotionsKept),
        Fault(ShowsLeftOut.self, .promotionsKept),
        // Begins something with each look-up, and ends nothing.
        .submissions("IsNeverQuiet", .goesQuiet) { spoilt, commands, reply in
            _ = spoilt.clock.activity.begin()
            spoilt.store.submit(commands, reply: reply)
        }
        .within(seconds: 15),
        Fault(LeavesOutInvalid.self, .productsComplete),
        Fault(FindsEverythingTwice.self, .productsComplete),
        Fault(SaysThatEverythingSells.self, .sellsAgrees),
        Fault(HasNoReceipts.self, .receiptsGiven),
        Fault(HasReceiptsForEverything.self, .unknownHasNoReceipt),
        Fault(NeverRefreshes.self, .refreshAnswered),
    ]
}

private final class ChangesItsClock: SpoiltStore, @unchecked Sendable {
    override var clock: any StoreClock { ManualClock() }
}

private final class ChangesItsLane: SpoiltStore, @unchecked Sendable {
    private let count = Locked(0)

    override var lane: BackendLane {
        count.withLock { count in
            count += 1
            return count.isMultiple(of: 2) ? .caller : .background
        }
    }
}

/// Keeps the thread that reads a receipt.
private final class BlocksWhileItReadsReceipts: SpoiltStore, @unchecked Sendable {
    private let never = DispatchSemaphore(value: 0)

    override func receipt(forTransaction identifier: String) -> Data? {
        never.wait()
        return nil
    }
}

/// Does not answer.
private final class NeverLooksUpProducts: SpoiltStore, @unchecked Sendable {
    override func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {}
}

/// Has a receipt for every unfinished transaction, bought or not.
private final class HasReceiptsForFailures: SpoiltStore, @unchecked Sendable {
    override func receipt(forTransaction identifier: String) -> Data? {
        (try? store.transactions.contains { $0.id == identifier }) == true
            ? Data("receipt".utf8) : nil
    }
}

/// Takes the app's order and shows its own.
private final class KeepsItsOwnOrder: SpoiltStore, @unchecked Sendable {
    override var promotionOverrides: PromotionOverrides {
        PromotionOverrides(visibility: super.promotionOverrides.visibility)
    }
}

/// Shows the products that the app has left out.
private final class ShowsLeftOut: SpoiltStore, @unchecked Sendable {
    override var promotionOverrides: PromotionOverrides {
        PromotionOverrides(order: super.promotionOverrides.order, visibility: super.promotionOverrides.visibility)
    }
}

/// Does not show again what the app has hidden.
private final class HidesForEver: SpoiltStore, @unchecked Sendable {
    override func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        if case .visibility(_, nil) = change { reply(nil) } else { super.changePromotion(change, reply: reply) }
    }
}

/// Says nothing of what it does not sell.
private final class LeavesOutInvalid: SpoiltStore, @unchecked Sendable {
    override func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        store.products(identifiers) { result in reply(result.map { ProductsAnswer(products: $0.products) }) }
    }
}

private final class FindsEverythingTwice: SpoiltStore, @unchecked Sendable {
    override func products(_ identifiers: Set<String>, reply: @escaping Reply<ProductsAnswer>) {
        store.products(identifiers) { result in
            let twice = result.map {
                ProductsAnswer(products: $0.products + $0.products, invalidIdentifiers: $0.invalidIdentifiers)
            }
            reply(twice)
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
