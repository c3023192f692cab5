/// A call that a test can make fail, under the name that StoreKitTest knows it by.
package enum SimulatedCall: String, Sendable {
    case loadProducts, purchase, verification, appStoreSync, subscriptionStatus, appTransaction, manageSubscriptions
    case refundRequest, offerCodeRedeem
}
