import Foundation
import StoreCore
import StoreCrypto

final class Shop: NSObject, SKPaymentTransactionObserver {
    var delivered: [String] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            delivered.append(transaction.payment.productIdentifier)
            queue.finishTransaction(transaction)
        }
    }
}

let clock = SystemClock()
let authority = try CertificateAuthority(now: clock.now)
let signer = try AppStoreSigner(authority, clock: clock)
let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")], clock: clock, signer: signer)

let queue = SKPaymentQueue(backend: store, delivery: .inline)
let shop = Shop()
queue.add(shop)
queue.add(SKPayment(productIdentifier: "castle"))
print("delivered", shop.delivered)

let transaction = try store.signedTransaction("1")
let forger = try AppStoreSigner(authority, clock: clock, defect: .wrongKey)
let files = [
    "root.der": authority.rootCertificate,
    "transaction.jws": Data(try transaction.jws.utf8),
    "forged.jws": Data(try forger.jws(of: transaction.payload.json).utf8),
    "receipt.der": store.device.appReceipt ?? Data(),
    "revoked.crl": try authority.revocationList(at: clock.now),
]
for (name, data) in files { try data.write(to: URL(filePath: name)) }
