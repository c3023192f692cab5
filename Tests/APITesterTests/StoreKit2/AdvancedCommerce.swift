import StoreKit

// Compiles, and so shows that what a client may write about Apple's Advanced Commerce API compiles.

@MainActor func useAdvancedCommerceProduct(_ jws: String) async throws {
    let id: AdvancedCommerceProduct.ID = "com.example.app.aca.generic.consumable"
    let product: AdvancedCommerceProduct = try await AdvancedCommerceProduct(id: id)
    let _: (String, AdvancedCommerceProduct.ProductType) = (product.id, product.type)
    let option: AdvancedCommerceProduct.PurchaseOption = .onStorefrontChange { storefront in
        storefront.countryCode == "USA"
    }
    let result: AdvancedCommerceProduct.PurchaseResult = try await product.purchase(compactJWS: jws, options: [option])
    switch result {
    case .success(let transaction): print(transaction)
    case .pending, .userCancelled: break
    @unknown default: break
    }
    _ = try await product.purchase(compactJWS: jws)
    let _: VerificationResult<Transaction>? = await product.latestTransaction
    for await transaction in product.allTransactions { print(transaction) }
    for await transaction in product.currentEntitlements { print(transaction) }
}

func useAdvancedCommerce(_ transaction: Transaction) {
    guard let info: Transaction.AdvancedCommerceInfo = transaction.advancedCommerceInfo else { return }
    let _: (String, String, String?, String?) = (
        info.requestReferenceID, info.taxCode, info.displayName, info.description
    )
    let _: (Decimal, Decimal, Decimal) = (info.taxExclusivePrice, info.taxRate, info.estimatedTax)
    let _: SubscriptionPeriod? = info.period
    for item: Transaction.AdvancedCommerceInfo.Item in info.items {
        let details: Transaction.AdvancedCommerceInfo.Item.Details = item.details
        let _: (String, String, String, Decimal) = (
            details.sku, details.displayName, details.description, details.price
        )
        if let offer: Transaction.AdvancedCommerceInfo.Offer = details.offer {
            let _: (Decimal, SubscriptionPeriod, Int) = (offer.price, offer.period, offer.periodCount)
            switch offer.reason {
            case .acquisition, .retention, .winBack: break
            default: print(Transaction.AdvancedCommerceInfo.Offer.Reason(rawValue: offer.reason.rawValue))
            }
        }
        for partner: Transaction.AdvancedCommerceInfo.Partner in details.partners {
            let _: (String, String?) = (partner.id, partner.name)
        }
        let _: Date? = item.revocationDate
        for refund: Transaction.AdvancedCommerceInfo.Refund in item.refunds ?? [] {
            let _: (Decimal, Date) = (refund.amount, refund.date)
            switch refund.reason {
            case .legal, .modifyItems, .other, .unfulfilled, .unintended, .unsatisfied: break
            default: print(Transaction.AdvancedCommerceInfo.Refund.Reason(rawValue: refund.reason.rawValue))
            }
            switch refund.type {
            case .custom, .full, .proRated: break
            default: print(Transaction.AdvancedCommerceInfo.Refund.RefundType(rawValue: refund.type.rawValue))
            }
        }
    }
}

func useAdvancedCommerce(_ renewal: Product.SubscriptionInfo.RenewalInfo) {
    guard let info: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo = renewal.advancedCommerceInfo else {
        return
    }
    let _: [String] = [
        info.consistencyToken, info.requestReferenceID, info.taxCode, info.displayName, info.description,
    ]
    let _: SubscriptionPeriod = info.period
    for item: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item in info.items {
        let _: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details = item.details
        typealias PriceIncreaseInfo = Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.PriceIncreaseInfo
        guard let increase: PriceIncreaseInfo = item.priceIncreaseInfo else { continue }
        let _: (Decimal, [String]) = (increase.price, increase.dependentSKUs)
        let status: PriceIncreaseInfo.Status = increase.status
        switch status {
        case .accepted, .pending, .scheduled: break
        default: break
        }
    }
}
