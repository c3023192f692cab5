import Foundation

/// The delegate of a products request, which receives its response.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
    /// Delivers the store's response, directly before ``SKRequestDelegate/requestDidFinish(_:)``.
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}
