// The program of the article "Testing your server": it keeps a store in a file.
import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite

let clock = SystemClock()
let authority = try CertificateAuthority(folder: URL(filePath: "keys"), now: clock.now)
let database = try SQLiteDatabase(at: URL(filePath: "store.sqlite"))
let store = try SandboxStore(
    products: [
        .nonConsumable("castle", price: "9.99"),
        .autoRenewable("pro", price: "4.99", period: .init(1, .month), group: "pro"),
    ],
    clock: clock,
    ledger: database.ledger,
    signer: try AppStoreSigner(authority, clock: clock)
)
let castle = try store.account.buy("castle")
try store.account.buy("pro")
try (store.device.appReceipt ?? Data()).write(to: URL(filePath: "receipt.der"))
print("sold transaction", castle)
database.close()
