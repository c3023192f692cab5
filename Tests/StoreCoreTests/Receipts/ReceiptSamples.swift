import Foundation
import StoreCore

/// What the receipt tests sign, and with what.
enum ReceiptSamples {
    static let signer = HMACReceiptSigner(key: Data("the key of this store".utf8))
    /// 21 September 2012, 01:31:38.192 UTC.
    static let now = Date(timeIntervalSince1970: 1_348_191_098.192)

    static let coins = TransactionReceipt(
        quantity: 2,
        productIdentifier: "coins.100",
        transactionIdentifier: "1000000000000002",
        originalTransactionIdentifier: "1000000000000001",
        purchaseDate: now,
        originalPurchaseDate: Date(timeIntervalSince1970: 1_325_376_000),
        itemIdentifier: "520000000",
        bundleIdentifier: "com.example.coins",
        bundleVersion: "1.0"
    )

    /// What ``coins`` says, letter by letter.
    static let coinsInformation = """
        {
        \t"quantity" = "2";
        \t"product-id" = "coins.100";
        \t"transaction-id" = "1000000000000002";
        \t"original-transaction-id" = "1000000000000001";
        \t"purchase-date" = "2012-09-21 01:31:38 Etc/GMT";
        \t"purchase-date-ms" = "1348191098192";
        \t"purchase-date-pst" = "2012-09-20 18:31:38 America/Los_Angeles";
        \t"original-purchase-date" = "2012-01-01 00:00:00 Etc/GMT";
        \t"original-purchase-date-ms" = "1325376000000";
        \t"original-purchase-date-pst" = "2011-12-31 16:00:00 America/Los_Angeles";
        \t"item-id" = "520000000";
        \t"bid" = "com.example.coins";
        \t"bvrs" = "1.0";
        }
        """

    static func purchase(of product: String = "p", at date: Date = now, bundle: String = "b") -> TransactionReceipt {
        TransactionReceipt(
            productIdentifier: product,
            transactionIdentifier: "1",
            purchaseDate: date,
            bundleIdentifier: bundle,
            bundleVersion: "1"
        )
    }

    static func verify(_ receipt: Data, at date: Date = now) -> ReceiptVerification {
        ReceiptVerification(of: receipt, signer: signer, at: date)
    }

    /// A receipt around any text at all, properly signed.
    static func receipt(around information: String) -> Data {
        let blob = Data("H".utf8) + signer.sign(Data("H\(information)".utf8)) + Data(count: 4)
        return envelope(
            signature: blob.base64EncodedString(),
            information: Data(information.utf8).base64EncodedString()
        )
    }

    static func envelope(signature: String, information: String) -> Data {
        Data(
            """
            {
            \t"signature" = "\(signature)";
            \t"purchase-info" = "\(information)";
            \t"environment" = "LocalTesting";
            \t"pod" = "100";
            \t"signing-status" = "0";
            }
            """.utf8
        )
    }

    /// The text inside a receipt.
    static func information(of receipt: Data) -> String {
        let line = String(decoding: receipt, as: UTF8.self).split(separator: "\n").first {
            $0.contains("purchase-info")
        }
        let base64 = line?.split(separator: "\"").dropFirst(3).first ?? ""
        return String(decoding: Data(base64Encoded: String(base64)) ?? Data(), as: UTF8.self)
    }
}
