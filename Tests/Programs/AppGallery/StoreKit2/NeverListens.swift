import StoreKit
import StoreSimulator

extension Exhibit {
    static let neverListens = Exhibit(
        "Nobody listens to updates",
        complaint: "I asked my mother, she said yes and paid, and I never got the sword.",
        faulty: NeverListens.self,
        mended: Shop2.self
    )
}

private final class NeverListens: Shop2 {
    // Not every purchase is returned by a call: parents, other devices and crashes bring them as updates.
    override func listen() {}
}
