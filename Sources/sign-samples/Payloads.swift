import Foundation
import StoreCore

/// What is signed, for an app with one product of each type.
///
/// Made by hand here, and only here; a `SandboxStore` that issues such payloads takes this type's place.
struct Payloads {
    let date: Date
    static let bundleIdentifier = "com.example.app"

    /// A JSON object to sign, and the transaction in it.
    struct Payload {
        let name: String
        let json: Data
        var transactionIdentifier: String?
    }

    private static let products: [(type: String, identifier: String, kind: SandboxProduct.Kind)] = [
        ("Consumable", "com.example.coins", .consumable),
        ("Non-Consumable", "com.example.castle", .nonConsumable),
        ("Non-Renewing Subscription", "com.example.season", .nonRenewing),
        ("Auto-Renewable Subscription", "com.example.monthly", .autoRenewable),
    ]

    private var milliseconds: Int { Int(date.timeIntervalSince1970 * 1000) }
    private var month: TimeInterval { 30 * 86_400 }

    private static func transaction(_ number: Int) -> String { "\(2_000_000_000_000_000 + number)" }

    /// Transactions, one for each type of product.
    func transactions(environment: String = "Sandbox") throws -> [Payload] {
        try Self.products.enumerated().map { number, product in
            var fields = common(number, product.identifier)
            fields["environment"] = environment
            fields["transactionId"] = Self.transaction(number)
            fields["bundleId"] = Self.bundleIdentifier
            fields["purchaseDate"] = milliseconds
            fields["originalPurchaseDate"] = milliseconds
            fields["quantity"] = 1
            fields["type"] = product.type
            fields["inAppOwnershipType"] = "PURCHASED"
            fields["storefront"] = "USA"
            fields["storefrontId"] = "143441"
            fields["transactionReason"] = "PURCHASE"
            fields["price"] = 9990
            if product.kind == .autoRenewable {
                fields["webOrderLineItemId"] = "2000000000000001"
                fields["subscriptionGroupIdentifier"] = "21000000"
                fields["expiresDate"] = milliseconds + Int(month * 1000)
            }
            return try payload("transaction-\(product.kind)", fields, Self.transaction(number))
        }
    }

    func renewal() throws -> Payload {
        var fields = common(3, Self.products[3].identifier)
        fields["autoRenewProductId"] = Self.products[3].identifier
        fields["autoRenewStatus"] = 1
        fields["renewalDate"] = milliseconds + Int(month * 1000)
        fields["renewalPrice"] = 9990
        fields["isInBillingRetryPeriod"] = false
        fields["recentSubscriptionStartDate"] = milliseconds
        return try payload("renewal", fields, Self.transaction(3))
    }

    func appTransaction() throws -> Payload {
        let fields: [String: Any] = [
            "receiptType": "Sandbox", "bundleId": Self.bundleIdentifier, "applicationVersion": "1.0",
            "receiptCreationDate": milliseconds, "originalPurchaseDate": 1_375_340_400_000,
            "originalApplicationVersion": "1.0", "deviceVerification": "AAAA",
            "deviceVerificationNonce": "3b76a7bd-8f5b-46a4-bcb1-cce8dbd1b3cd", "appTransactionId": "700000000000001",
            "originalPlatform": "iOS",
        ]
        return try payload("app-transaction", fields)
    }

    private func common(_ number: Int, _ product: String) -> [String: Any] {
        [
            "originalTransactionId": Self.transaction(number), "productId": product, "signedDate": milliseconds,
            "environment": "Sandbox", "currency": "USD", "appTransactionId": "700000000000001",
        ]
    }

    private func payload(_ name: String, _ fields: [String: Any], _ transaction: String? = nil) throws -> Payload {
        let json = try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
        return Payload(name: name, json: json, transactionIdentifier: transaction)
    }
}

// MARK: - Receipts

extension Payloads {
    /// The attributes of an app receipt with all purchases, and the first transaction in it.
    func appReceipt() throws -> (attributes: Data, transactionIdentifier: String) {
        let receipt = AppReceipt(
            bundleIdentifier: Self.bundleIdentifier,
            bundleVersion: "1.0",
            device: Data(repeating: 7, count: 16),
            opaqueValue: Data(repeating: 9, count: 16),
            creationDate: date,
            purchases: Self.products.enumerated().map { number, product in
                AppReceipt.Purchase(
                    productIdentifier: product.identifier,
                    transactionIdentifier: Self.transaction(number),
                    purchaseDate: date,
                    kind: product.kind,
                    subscription: product.kind == .autoRenewable ? subscription : nil
                )
            }
        )
        let listener = Listener()
        _ = try receipt.data(signedBy: listener)
        return (listener.payload, Self.transaction(0))
    }

    /// Receipts of 2009 to 2013, one for each type of product.
    func transactionReceipts() -> [TransactionReceipt] {
        Self.products.enumerated().map { number, product in
            TransactionReceipt(
                productIdentifier: product.identifier,
                transactionIdentifier: Self.transaction(number),
                purchaseDate: date,
                bundleIdentifier: Self.bundleIdentifier,
                bundleVersion: "1.0",
                subscription: product.kind == .autoRenewable ? subscription : nil
            )
        }
    }

    private var subscription: TransactionReceipt.Subscription {
        TransactionReceipt.Subscription(
            expirationDate: date + month,
            webOrderLineItemIdentifier: "2000000000000001"
        )
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
