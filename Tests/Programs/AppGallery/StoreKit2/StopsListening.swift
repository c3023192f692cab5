import StoreKit
import StoreSimulator

extension Exhibit {
    static let stopsListening = Exhibit(
        "Listening ends with the first update",
        complaint: "The second approval of the evening brings nothing until I restart the app.",
        faulty: StopsListening.self,
        mended: Shop2.self
    )
}

private final class StopsListening: Shop2 {
    private var listener: Task<Void, Never>?

    override func listen() {
        listener = Task { [weak self] in
            for await result in Transaction.updates {
                await self?.take(result)
                // The sequence goes on for as long as the app does.
                break
            }
        }
    }

    deinit { listener?.cancel() }
}
