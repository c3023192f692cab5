import Foundation
import StoreCore

/// What the tests of app receipts sign.
enum AppReceiptSamples {
    static let device = Data((0..<16).map { UInt8($0) })
    static let bought = Market.date("2025-01-01T00:00:00Z")

    static let empty = AppReceipt(
        bundleIdentifier: "com.example.coins",
        bundleVersion: "1.2",
        device: device,
        opaqueValue: Data(repeating: 0xab, count: 16),
        creationDate: Market.date("2025-02-03T04:05:06Z")
    )

    /// With a purchase of each kind that receipts tell from others.
    static var full: AppReceipt {
        var receipt = empty
        receipt.expirationDate = Market.date("2026-01-01T00:00:00Z")
        receipt.revocationDate = Market.date("2025-12-01T00:00:00Z")
        receipt.isVolumePurchase = true
        receipt.purchases = SandboxProduct.Kind.allCases.prefix(5).enumerated().map { index, kind in
            AppReceipt.Purchase(
                quantity: index + 1,
                productIdentifier: kind.rawValue,
                transactionIdentifier: String(index + 10),
                purchaseDate: bought + 60,
                originalTransactionIdentifier: String(index),
                originalPurchaseDate: bought,
                kind: kind,
                subscription: kind != .autoRenewable
                    ? nil
                    : TransactionReceipt.Subscription(
                        expirationDate: bought + 86_400,
                        webOrderLineItemIdentifier: "1000000000123",
                        isTrialPeriod: true,
                        isInIntroductoryOfferPeriod: true
                    ),
                cancellationDate: index == 0 ? bought + 120 : nil
            )
        }
        return receipt
    }

    static func status(_ data: Data, _ signer: any ReceiptSigner = ReceiptSamples.signer) -> Int {
        do throws(ReceiptRefusal) {
            _ = try AppReceipt(verifying: data, signer: signer)
            return 0
        } catch {
            return error.status.rawValue
        }
    }

    /// The same receipt with its purchases in the order of their transactions.
    static func sorted(_ receipt: AppReceipt) -> AppReceipt {
        var receipt = receipt
        receipt.purchases.sort { (Int($0.transactionIdentifier) ?? 0) < (Int($1.transactionIdentifier) ?? 0) }
        return receipt
    }
}
