import StoreKit
import StoreSimulator

extension Exhibit {
    static let listensLate = Exhibit(
        "Updates are listened to from the first purchase on",
        complaint: "My son's purchase was approved, and nothing came until I bought something else.",
        faulty: ListensLate.self,
        mended: Shop2.self
    )
}

private final class ListensLate: Shop2 {
    private var isListening = false

    // What comes before is told again only to a listener.
    override func listen() {}

    override func buy(_ product: String) async throws {
        if !isListening { super.listen() }
        isListening = true
        try await super.buy(product)
    }
}
