import IAPManager
import StoreKit

/// Sells one thing to whoever stands before it, prints each step and ends.
final class Kiosk: IAPManagerDelegate {
    private let manager: IAPManager
    private let item: String
    private let defaultsName = "Kiosk.\(ProcessInfo.processInfo.processIdentifier)"

    init(selling item: String) {
        self.item = item
        manager = IAPManager(defaults: UserDefaults(suiteName: defaultsName) ?? .standard)
    }

    /// Begins; everything else happens in callbacks, for which somebody has to run the main queue.
    func open() {
        manager.delegate = self
        manager.start()
        manager.loadProducts()
        say("open")
    }

    private func say(_ line: String) {
        dispatchPrecondition(condition: .onQueue(.main))
        print(line)
    }

    private func close(_ code: Int32) -> Never {
        UserDefaults.standard.removePersistentDomain(forName: defaultsName)
        exit(code)
    }

    func iapManagerDidLoadProducts(_ manager: IAPManager) {
        guard let product = manager.products.first(where: { $0.productIdentifier == item }) else {
            say("there is no \(item)")
            close(1)
        }
        say("\(product.localizedTitle) for \(manager.price(of: product))")
        manager.buy(product)
    }

    func iapManager(_ manager: IAPManager, didProvide productIdentifier: String) {
        say("provided \(productIdentifier)")
        close(0)
    }

    func iapManager(_ manager: IAPManager, didFailToLoadProducts error: Error) { fail(error) }
    func iapManager(_ manager: IAPManager, didFailToBuy productIdentifier: String, error: Error) { fail(error) }
    func iapManager(_ manager: IAPManager, isWaitingForApprovalOf productIdentifier: String) {}
    func iapManager(_ manager: IAPManager, didLock productIdentifier: String) {}
    func iapManagerDidRestore(_ manager: IAPManager) {}
    func iapManager(_ manager: IAPManager, didFailToRestore error: Error) {}

    private func fail(_ error: Error) {
        say(error.localizedDescription)
        close(1)
    }
}
