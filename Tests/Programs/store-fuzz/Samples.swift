import Foundation
import StoreCore

/// Receipts and payloads as the signers make them.
enum Samples {
    private static let date = Folder.date
    private static let subscription = TransactionReceipt.Subscription(
        expirationDate: date + 86_400,
        webOrderLineItemIdentifier: "1000000000000001",
        isTrialPeriod: true,
        promotionalOfferIdentifier: "offer",
        codeReferenceName: "code"
    )

    /// An app receipt with a purchase of each kind.
    static let appReceipt = appReceipt(
        SandboxProduct.Kind.allCases.enumerated().map { number, kind in purchase(number, kind) }
    )

    static let largeAppReceipt = appReceipt((0..<200).map { purchase($0, .consumable) })

    private static func appReceipt(_ purchases: [AppReceipt.Purchase]) -> AppReceipt {
        AppReceipt(
            bundleIdentifier: "com.example.app",
            bundleVersion: "1.0",
            device: Data(repeating: 7, count: 16),
            opaqueValue: Data(repeating: 9, count: 16),
            creationDate: date,
            purchases: purchases,
            expirationDate: date + 1,
            revocationDate: date + 2
        )
    }

    private static func purchase(_ number: Int, _ kind: SandboxProduct.Kind) -> AppReceipt.Purchase {
        AppReceipt.Purchase(
            productIdentifier: "com.example.item.\(number)",
            transactionIdentifier: "\(1_000_000 + number)",
            purchaseDate: date,
            kind: kind,
            subscription: kind == .autoRenewable ? subscription : nil,
            cancellationDate: number.isMultiple(of: 2) ? date : nil
        )
    }

    /// A plain one, and one with every key and with letters that have to be escaped.
    static let transactionReceipts = [
        TransactionReceipt(
            productIdentifier: "com.example.coins",
            transactionIdentifier: "1000000",
            purchaseDate: date,
            bundleIdentifier: "com.example.app",
            bundleVersion: "1.0"
        ),
        TransactionReceipt(
            productIdentifier: "com.example.\"pro\"\\\n",
            transactionIdentifier: "1000001",
            purchaseDate: date,
            itemIdentifier: "1",
            bundleIdentifier: "com.example.äöü.🏰",
            bundleVersion: "1.0",
            deviceIdentifier: "0123456789abcdef",
            vendorDeviceIdentifier: "3B76A7BD-8F5B-46A4-BCB1-CCE8DBD1B3CD",
            appItemIdentifier: "2",
            versionExternalIdentifier: "3",
            subscription: subscription,
            applicationUsername: "somebody",
            cancellationDate: date
        ),
    ]

    /// A transaction, a renewal and an app transaction.
    static let jwsPayloads = [
        """
        {"transactionId":"1000000","originalTransactionId":"1000000","bundleId":"com.example.app",\
        "productId":"com.example.coins","quantity":1,"purchaseDate":1735722000000,"originalPurchaseDate":1735722000000,\
        "inAppOwnershipType":"PURCHASED","signedDate":1735722000000,"type":"Consumable","environment":"Sandbox"}
        """,
        """
        {"originalTransactionId":"1000000","productId":"com.example.pro","autoRenewProductId":"com.example.pro",\
        "autoRenewStatus":1,"eligibleWinBackOfferIds":["back"],"renewalDate":1735722000000,\
        "signedDate":1735722000000.5,"environment":"Sandbox"}
        """,
        """
        {"receiptType":"Sandbox","bundleId":"com.example.app","applicationVersion":"1.0",\
        "receiptCreationDate":1735722000000,"originalPurchaseDate":1375340400000,"originalApplicationVersion":"1.0"}
        """,
    ]
}
