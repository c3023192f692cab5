import Foundation
import StoreCore
import Testing

extension Shop {
    /// Returns the receipt of a transaction, in the form of 2009.
    func oldReceipt(of transaction: String) throws -> Data {
        try #require(store.device.receipt(forTransaction: transaction))
    }
}
