import Foundation

// The rules of orders that quirks change; see StoreQuirk.
extension SandboxState {
    /// Returns the expired transaction that completes an order for its subscription; nil if the order is sold.
    ///
    /// The quirk is `lapsedIsNotSold`. A refunded subscription is sold again, and so is one by a signed request, which
    /// names the subscription itself.
    // Not inlined into the path of orders without quirks.
    @inline(never)
    func lapsed(
        _ payment: StorePayment,
        _ product: ProductIndex?,
        _ account: AccountID?,
        _ rules: borrowing SandboxRules
    ) -> TransactionNumber? {
        guard rules.quirks.contains(.lapsedIsNotSold), payment.purchaseDate == nil, payment.requestData == nil,
            let product, let account, let group = catalog.group(of: product),
            let index = subscriptions.index(of: group, account: account), !subscriptions[index].isRunning,
            subscriptions[index].term.product == product
        else { return nil }
        let number = newestPeriod(of: subscriptions[index].term.original, by: account)
        return revocations.cancellation(of: number) == nil ? number : nil
    }

    /// Returns another person's decision about a transaction as the store applies it.
    ///
    /// With the quirk `declinedArrives`, a declined request to buy is approved.
    func applied(
        _ decision: Authorization,
        about number: TransactionNumber,
        _ rules: borrowing SandboxRules
    ) -> Authorization {
        guard rules.hasQuirks, rules.quirks.contains(.declinedArrives), case .decline = decision,
            isDeferred(number)
        else { return decision }
        return .approve
    }
}

extension SandboxRules {
    /// Whether the payment sheet does not end: no order is decided by the authorizer.
    var holdsOrders: Bool { hasQuirks && quirks.contains(.purchaseNeverReturns) }

    /// Whether an introductory override without a valid signature is sold at the full price.
    var sellsUnknownOverrides: Bool { hasQuirks && quirks.contains(.unknownOfferSellsAtFullPrice) }

    /// The code of the failure of a signed offer of Store Kit 2 without a valid signature.
    var codeOfUnknownSignature: StoreFailure.Code { sellsUnknownOverrides ? .unknown : .invalidSignature }

    /// Returns an order at the full price if it has an introductory override without a valid signature.
    ///
    /// The quirk is `unknownOfferSellsAtFullPrice`. The signatures must have been verified before, as for
    /// ``OfferSigning/refusal(of:in:at:)``. Any other order is returned as it is.
    func withoutUnknownOverride(_ command: StoreCommand, now: Date) -> StoreCommand {
        guard case .purchase(var payment) = command.action, let offer = payment.offer,
            [.introductory, .noIntroductory].contains(offer.kind), offer.proof != nil || !acceptsTestPurchases
        else { return command }
        if let proof = offer.readProof, offers.refusal(of: proof, in: payment, at: now) == nil { return command }
        payment.offer = StoreOffer(kind: .noIntroductory)
        return StoreCommand(id: command.id, action: .purchase(payment))
    }
}
