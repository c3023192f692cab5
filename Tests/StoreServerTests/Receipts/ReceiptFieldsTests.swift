import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// The fields that need offers, families and price increases.
@Suite struct ReceiptFieldsTests {
    private var transaction: TransactionPayload {
        var transaction = TransactionPayload(
            transactionId: "2",
            bundleId: "bundle",
            productId: "gold",
            type: .autoRenewable,
            purchaseDate: PayloadDate(milliseconds: 0),
            environment: "Sandbox",
            signedDate: PayloadDate(milliseconds: 0)
        )
        transaction.expiresDate = PayloadDate(milliseconds: 1000)
        return transaction
    }

    private var renewal: RenewalPayload {
        RenewalPayload(
            originalTransactionId: "1",
            productId: "gold",
            autoRenewProductId: "silver",
            autoRenewStatus: .on,
            environment: "Sandbox",
            signedDate: PayloadDate(milliseconds: 0)
        )
    }

    @Test func `Each kind of offer has its field`() throws {
        var transaction = transaction
        var fields = try ReceiptFields.latest(transaction)
        #expect(fields["promotional_offer_id"] == nil && fields["offer_code_ref_name"] == nil)
        transaction.offerIdentifier = "offer"
        transaction.offerType = .promotional
        transaction.offerDiscountType = .freeTrial
        fields = try ReceiptFields.latest(transaction)
        #expect(fields["promotional_offer_id"] == "offer" && fields["offer_code_ref_name"] == nil)
        #expect(fields["is_trial_period"] == "true" && fields["is_in_intro_offer_period"] == "false")
        transaction.offerType = .code
        fields = try ReceiptFields.latest(transaction)
        #expect(fields["promotional_offer_id"] == nil && fields["offer_code_ref_name"] == "offer")
        transaction.offerType = .introductory
        transaction.offerIdentifier = nil
        #expect(try ReceiptFields.latest(transaction)["is_trial_period"] == "true")
        transaction.offerDiscountType = .payAsYouGo
        fields = try ReceiptFields.latest(transaction)
        #expect(fields["is_trial_period"] == "false" && fields["is_in_intro_offer_period"] == "true")
    }

    @Test func `What the family shares says so, and what is revoked has a reason`() throws {
        var transaction = transaction
        transaction.inAppOwnershipType = .familyShared
        transaction.revocationDate = PayloadDate(milliseconds: 1500)
        transaction.revocationReason = .developerIssue
        var fields = try ReceiptFields.latest(transaction)
        #expect(fields["in_app_ownership_type"] == "FAMILY_SHARED")
        #expect(fields["cancellation_reason"] == "1" && fields["cancellation_date_ms"] == "1000")
        transaction.revocationReason = nil
        fields = try ReceiptFields.latest(transaction)
        #expect(fields["cancellation_reason"] == "0")
    }

    @Test func `What does not renew has neither an end nor a period`() throws {
        var transaction = transaction
        transaction.type = .nonConsumable
        transaction.expiresDate = nil
        let fields = try ReceiptFields.latest(transaction)
        for name in ["expires_date", "web_order_line_item_id", "is_in_intro_offer_period"] {
            #expect(fields[name] == nil)
        }
    }

    @Test func `The offer of the next period has its field`() throws {
        var renewal = renewal
        renewal.offerType = .promotional
        renewal.offerIdentifier = "offer"
        #expect(try ReceiptFields.pending(renewal)["promotional_offer_id"] == "offer")
        renewal.offerType = .code
        let fields = try ReceiptFields.pending(renewal)
        #expect(fields["offer_code_ref_name"] == "offer" && fields["promotional_offer_id"] == nil)
        #expect(fields["auto_renew_product_id"] == "silver" && fields["expiration_intent"] == nil)
    }
}
