import Foundation

extension AppReceipt {
    /// Returns the verification response for an authentic app receipt, as it went over the wire: one JSON object.
    ///
    /// `status` is 0, and `receipt` has the receipt's content: each date as three strings (in UTC, in milliseconds
    /// since 1970, in Californian time; all but the request's of whole seconds), each purchase under `in_app`, and ``appAppleIdentifier`` as `adam_id` and
    /// `app_item_id`. Numbers that the store does not know are 0. The keys are in alphabetical order, so the same
    /// response gives the same bytes.
    ///
    /// - Parameters:
    ///   - environment: the store's environment, as ``ReceiptSigner/environment`` names it. A receipt of `Sandbox` has the
    ///     type `ProductionSandbox`.
    ///   - moment: the date of the request.
    /// - Returns: the object, in UTF-8.
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999.
    public func json(environment: String, requestedAt moment: Date) throws -> Data {
        AnswerValue.object(try answer(environment: environment, requestedAt: moment)).json
    }

    /// Returns the members of ``json(environment:requestedAt:)``, to be added to.
    ///
    /// - Parameters:
    ///   - environment: the store's environment.
    ///   - moment: the date of the request.
    ///   - details: returns what a store knows of a purchase and its receipt does not, under the names of the wire.
    /// - Returns: the members, with a `status` of 0.
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999.
    package func answer(
        environment: String,
        requestedAt moment: Date,
        details: (Purchase) -> [String: String] = { _ in [:] }
    ) throws -> [String: AnswerValue] {
        var fields = [
            "receipt_type": Self.environment(
                environment == "Sandbox" ? "ProductionSandbox" : environment,
                isVolumePurchase: isVolumePurchase
            ),
            "bundle_id": bundleIdentifier,
            "application_version": bundleVersion,
            "original_application_version": originalBundleVersion,
        ]
        try ReceiptDate.add(creationDate, as: "receipt_creation_date", to: &fields)
        try ReceiptDate.add(originalPurchaseDate, as: "original_purchase_date", to: &fields)
        try ReceiptDate.add(moment, as: "request_date", isExact: true, to: &fields)
        if let expirationDate { try ReceiptDate.add(expirationDate, as: "expiration_date", to: &fields) }
        if let revocationDate { try ReceiptDate.add(revocationDate, as: "revocation_date", to: &fields) }
        var receipt = fields.mapValues(AnswerValue.text)
        receipt["in_app"] = .list(
            try purchases.map { AnswerValue(try Self.fields(of: $0).merging(details($0)) { $1 }) }
        )
        for number in ["adam_id", "app_item_id"] { receipt[number] = .number(Int(appAppleIdentifier ?? 0)) }
        for number in ["download_id", "version_external_identifier"] { receipt[number] = .number(0) }
        let status = ReceiptVerification.Status.valid.rawValue
        return ["status": .number(status), "environment": .text(environment), "receipt": .object(receipt)]
    }

    private static func fields(of purchase: Purchase) throws -> [String: String] {
        var fields = [
            "quantity": String(purchase.quantity),
            "product_id": purchase.productIdentifier,
            "transaction_id": purchase.transactionIdentifier,
            "original_transaction_id": purchase.originalTransactionIdentifier,
            "is_trial_period": String(purchase.subscription?.isTrialPeriod ?? false),
        ]
        try ReceiptDate.add(purchase.purchaseDate, as: "purchase_date", to: &fields)
        try ReceiptDate.add(purchase.originalPurchaseDate, as: "original_purchase_date", to: &fields)
        if let date = purchase.cancellationDate { try ReceiptDate.add(date, as: "cancellation_date", to: &fields) }
        if let subscription = purchase.subscription {
            try ReceiptDate.add(subscription.expirationDate, as: "expires_date", to: &fields)
            fields["web_order_line_item_id"] = subscription.webOrderLineItemIdentifier
            fields["is_in_intro_offer_period"] = String(subscription.isInIntroductoryOfferPeriod)
            fields["promotional_offer_id"] = subscription.promotionalOfferIdentifier
        }
        return fields
    }
}
