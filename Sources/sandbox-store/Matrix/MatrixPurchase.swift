import Foundation
import StoreCore
import StoreServer

/// A purchase in each of its forms.
struct MatrixPurchase {
    /// The kind of the product, as in `subscription`.
    let kind: String
    var product: String
    let transaction: String
    /// The end of the period that was paid for; nil for a product that does not expire.
    let expires: Date?
    let environment: String
    let values: [MatrixForm: String]

    /// The products of a file that are bought: the first that is bought once, and the first that renews.
    static func products(of configuration: StoreConfiguration) -> [(kind: String, product: String)] {
        let kinds: [(SandboxProduct.Kind, String)] = [
            (.nonConsumable, "non-consumable"), (.autoRenewable, "subscription"),
        ]
        return kinds.compactMap { kind, name in
            configuration.products.first { $0.kind == kind }.map { (name, $0.identifier) }
        }
    }

    /// Buys a product on an account and a device of its own, so that the app receipt has only this purchase.
    init(_ product: String, _ kind: String, in store: SandboxStore, _ notifications: ServerNotifications) throws {
        let account = try store.addAccount("buyer of \(product)")
        let device = try store.addDevice("device for \(product)", signedInTo: account)
        transaction = try account.buy(product)
        let signed = try store.signedTransaction(transaction)
        (self.kind, self.product) = (kind, product)
        expires = signed.payload.expiresDate?.date
        environment = store.payloadSigner.environment
        var values: [MatrixForm: String] = [.transactionId: transaction, .jws: try signed.jws]
        values[.transactionReceipt] = device.receipt(forTransaction: transaction)?.base64EncodedString()
        values[.appReceipt] = device.appReceipt?.base64EncodedString()
        values[.notification] = try notifications.received().last { [transaction] in
            $0.transaction?.transactionId == transaction
        }?.signedPayload
        self.values = values
    }
}
