import StoreKit
import StoreSimulator

extension Exhibit {
    static let observesLate = Exhibit(
        "The queue is observed from the first purchase on",
        complaint: "My son's purchase was approved, and nothing came until I bought something else.",
        faulty: ObservesLate.self,
        mended: Shop1.self
    )
}

private final class ObservesLate: Shop1 {
    private var isObserving = false

    // What was left unfinished waits for a launch that observes.
    override func observe() {}

    override func buy(_ product: String) {
        if !isObserving { super.observe() }
        isObserving = true
        super.buy(product)
    }
}
