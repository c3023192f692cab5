import Foundation

/// Receives what a products request found.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
    /// The store's answer, directly before ``SKRequestDelegate/requestDidFinish(_:)``.
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}
