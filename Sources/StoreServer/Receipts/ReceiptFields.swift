import Foundation
import StoreCore

/// The fields that a verification's response has in addition to the receipt's own.
enum ReceiptFields {
    /// Returns a transaction's fields in `latest_receipt_info`.
    static func latest(_ transaction: TransactionPayload) throws -> [String: AnswerValue] {
        var fields: [String: AnswerValue] = [
            "quantity": .text(String(transaction.quantity)),
            "product_id": .text(transaction.productId),
            "transaction_id": .text(transaction.transactionId),
            "original_transaction_id": .text(transaction.originalTransactionId),
            "is_trial_period": .text(String(transaction.offerDiscountType == .freeTrial)),
            "in_app_ownership_type": .text(transaction.inAppOwnershipType.rawValue),
        ]
        try add("purchase_date", transaction.purchaseDate, to: &fields)
        try add("original_purchase_date", transaction.originalPurchaseDate, to: &fields)
        if let date = transaction.expiresDate {
            try add("expires_date", date, to: &fields)
            fields["web_order_line_item_id"] = transaction.webOrderLineItemId.map(AnswerValue.text)
            let isInOffer = transaction.offerType == .introductory && transaction.offerDiscountType != .freeTrial
            fields["is_in_intro_offer_period"] = .text(String(isInOffer))
        }
        if let date = transaction.revocationDate { try add("cancellation_date", date, to: &fields) }
        fields["cancellation_reason"] = cancellationReason(transaction).map(AnswerValue.text)
        fields["subscription_group_identifier"] = transaction.subscriptionGroupIdentifier.map(AnswerValue.text)
        if transaction.isUpgraded == true { fields["is_upgraded"] = "true" }
        fields["app_account_token"] = transaction.appAccountToken.map(AnswerValue.text)
        add(transaction.offerType, transaction.offerIdentifier, to: &fields)
        return fields
    }

    /// Returns the fields in `in_app` that a transaction's entry in the receipt lacks.
    static func details(_ transaction: TransactionPayload) -> [String: AnswerValue] {
        var fields = ["in_app_ownership_type": AnswerValue.text(transaction.inAppOwnershipType.rawValue)]
        fields["cancellation_reason"] = cancellationReason(transaction).map(AnswerValue.text)
        return fields
    }

    /// Returns the reason why a transaction was canceled; nil if it was not canceled.
    private static func cancellationReason(_ transaction: TransactionPayload) -> String? {
        transaction.revocationDate.map { _ in String((transaction.revocationReason ?? .other).rawValue) }
    }

    /// Returns a subscription's fields in `pending_renewal_info`.
    static func pending(_ renewal: RenewalPayload) throws -> [String: AnswerValue] {
        var fields: [String: AnswerValue] = [
            "auto_renew_product_id": .text(renewal.autoRenewProductId),
            "product_id": .text(renewal.productId),
            "original_transaction_id": .text(renewal.originalTransactionId),
            "auto_renew_status": .text(String(renewal.autoRenewStatus.rawValue)),
        ]
        if let intent = renewal.expirationIntent {
            fields["expiration_intent"] = .text(String(intent.rawValue))
            fields["is_in_billing_retry_period"] = .text(isInBillingRetry(renewal))
        }
        if let date = renewal.gracePeriodExpiresDate { try add("grace_period_expires_date", date, to: &fields) }
        if let status = renewal.priceIncreaseStatus {
            fields["price_consent_status"] = .text(String(status.rawValue))
            fields["price_increase_status"] = .text(String(status.rawValue))
        }
        add(renewal.offerType, renewal.offerIdentifier, to: &fields)
        return fields
    }

    /// Returns a renewal's fields in the response to the receipt of a subscription's transaction.
    static func renewal(_ renewal: RenewalPayload) -> [String: AnswerValue] {
        var fields: [String: AnswerValue] = [
            "auto_renew_status": .number(renewal.autoRenewStatus.rawValue),
            "auto_renew_product_id": .text(renewal.autoRenewProductId),
        ]
        if let intent = renewal.expirationIntent {
            fields["expiration_intent"] = .text(String(intent.rawValue))
            fields["is_in_billing_retry_period"] = .text(isInBillingRetry(renewal))
        }
        return fields
    }

    private static func isInBillingRetry(_ renewal: RenewalPayload) -> String {
        renewal.isInBillingRetryPeriod == true ? "1" : "0"
    }

    private static func add(_ name: String, _ date: PayloadDate, to fields: inout [String: AnswerValue]) throws {
        try ReceiptDate.add(date.date, as: name, to: &fields)
    }

    private static func add(
        _ type: TransactionPayload.OfferType?,
        _ identifier: String?,
        to fields: inout [String: AnswerValue]
    ) {
        switch type {
        case .promotional: fields["promotional_offer_id"] = identifier.map(AnswerValue.text)
        case .code: fields["offer_code_ref_name"] = identifier.map(AnswerValue.text)
        default: break
        }
    }
}
