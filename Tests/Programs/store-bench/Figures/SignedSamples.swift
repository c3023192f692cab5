import Foundation
import StoreCore

#if canImport(CLibcrypto)
    import StoreCrypto
#endif

/// What the figures of signatures sign.
enum SignedSamples {
    static let date = Date(timeIntervalSince1970: 1_735_722_000)

    #if canImport(CLibcrypto)
        static func authority() throws -> CertificateAuthority { try CertificateAuthority(now: date) }
    #endif

    /// A transaction's payload with the usual fields, about 800 bytes.
    static let jwsPayload = Data(
        """
        {"transactionId":"2000000123456789","originalTransactionId":"2000000123456700",\
        "webOrderLineItemId":"2000000012345678","bundleId":"com.example.app","productId":"com.example.pro.monthly",\
        "subscriptionGroupIdentifier":"21000000","purchaseDate":1735722000000,"originalPurchaseDate":1733043600000,\
        "expiresDate":1738400400000,"quantity":1,"type":"Auto-Renewable Subscription",\
        "appAccountToken":"3b76a7bd-8f5b-46a4-bcb1-cce8dbd1b3cd","inAppOwnershipType":"PURCHASED",\
        "signedDate":1735722000000,"environment":"Sandbox","storefront":"USA","storefrontId":"143441",\
        "transactionReason":"RENEWAL","currency":"USD","price":9990,"appTransactionId":"700000000000001"}
        """.utf8
    )

    /// Returns an app receipt with so many purchases, each a minute after the one before.
    static func receipt(purchases count: Int) -> AppReceipt {
        AppReceipt(
            bundleIdentifier: "com.example.app",
            bundleVersion: "1.0",
            device: Data(repeating: 7, count: 16),
            opaqueValue: Data(repeating: 9, count: 16),
            creationDate: date,
            purchases: (0..<count).map { number in
                AppReceipt.Purchase(
                    productIdentifier: "com.example.season.\(number % 100)",
                    transactionIdentifier: "\(2_000_000_000_000_000 + number)",
                    purchaseDate: date + Double(60 * number),
                    kind: .nonRenewing
                )
            }
        )
    }

    /// Returns the payload of an app receipt.
    static func appReceipt(purchases count: Int) throws -> Data { try payload(of: receipt(purchases: count)) }

    /// Returns the payload of an app receipt: its set of attributes in DER.
    static func payload(of receipt: AppReceipt) throws -> Data {
        let listener = Listener()
        _ = try receipt.data(signedBy: listener)
        return listener.payload
    }

    /// A signer that only records what it is to sign.
    private final class Listener: AppReceiptSigner, @unchecked Sendable {  // unchecked: used by one thread
        private(set) var payload = Data()

        var environment: String { "Sandbox" }
        var appReceiptEnvironment: String { "ProductionSandbox" }
        var signatureVersion: UInt8 { 0 }
        var signatureLength: Int { 0 }

        func sign(_ message: Data) -> Data {
            payload = DER.header(.set, message.count) + message
            return Data()
        }

        func seal(_ payload: Data) -> Data {
            self.payload = payload
            return Data()
        }

        func deviceHash(of bytes: Data) -> Data { Data(count: 20) }
        func isValid(signature: Data, for message: Data) -> Bool { false }
        func open(_ receipt: Data, creationDate: (Data) -> Date?) -> Data { receipt }
    }
}
