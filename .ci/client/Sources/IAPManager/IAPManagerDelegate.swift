import StoreKit

/// Shows the user what becomes of their purchases.
public protocol IAPManagerDelegate: AnyObject {
    /// The products can be shown now.
    func iapManagerDidLoadProducts(_ manager: IAPManager)
    /// There is nothing to show.
    func iapManager(_ manager: IAPManager, didFailToLoadProducts error: Error)
    /// Something was bought or restored, and is there to be used.
    func iapManager(_ manager: IAPManager, didProvide productIdentifier: String)
    /// Somebody has to approve of a purchase first.
    func iapManager(_ manager: IAPManager, isWaitingForApprovalOf productIdentifier: String)
    /// Nothing was bought, and the user should hear why.
    func iapManager(_ manager: IAPManager, didFailToBuy productIdentifier: String, error: Error)
    /// A purchase was paid back.
    func iapManager(_ manager: IAPManager, didLock productIdentifier: String)
    /// Everything has been restored.
    func iapManagerDidRestore(_ manager: IAPManager)
    /// Not everything could be restored.
    func iapManager(_ manager: IAPManager, didFailToRestore error: Error)
}
