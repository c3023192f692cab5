import IAPManager
import StoreKitTest

/// Writes down what the manager says, and passes it on.
final class DelegateSpy: IAPManagerDelegate {
    private(set) var events: [String] = []
    var onEvent: (String) -> Void = { _ in }

    private func heard(_ event: String) {
        events.append(event)
        onEvent(event)
    }

    /// Does something and waits, without holding up the main thread, until the manager has said something.
    @MainActor func wait(for event: String, _ act: @MainActor () throws -> Void) async rethrows {
        let (said, continuation) = AsyncStream.makeStream(of: Void.self)
        onEvent = { if $0 == event { continuation.finish() } }
        try act()
        for await _ in said {}
    }

    func iapManagerDidLoadProducts(_ manager: IAPManager) { heard("loaded") }

    func iapManager(_ manager: IAPManager, didFailToLoadProducts error: Error) { heard("not loaded") }

    func iapManager(_ manager: IAPManager, didProvide productIdentifier: String) {
        heard("provided \(productIdentifier)")
    }

    func iapManager(_ manager: IAPManager, isWaitingForApprovalOf productIdentifier: String) {
        heard("waiting for \(productIdentifier)")
    }

    func iapManager(_ manager: IAPManager, didFailToBuy productIdentifier: String, error: Error) {
        heard("failed \(productIdentifier): \((error as? SKError)?.errorCode ?? -1)")
    }

    func iapManager(_ manager: IAPManager, didLock productIdentifier: String) { heard("locked \(productIdentifier)") }

    func iapManagerDidRestore(_ manager: IAPManager) { heard("restored") }

    func iapManager(_ manager: IAPManager, didFailToRestore error: Error) { heard("not restored") }
}
