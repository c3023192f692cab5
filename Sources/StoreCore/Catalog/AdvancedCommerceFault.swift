/// A defect of a request of the Advanced Commerce API; the raw value is Apple's number of the error.
///
/// The sentences are not Apple's, of which no published source was found.
package enum AdvancedCommerceFault: Int, Error, Hashable, CaseIterable, Sendable {
    case invalidTransactionID = 4000006
    case invalidStorefront = 4000028
    case invalidCurrency = 4000053
    case oneItemNeededInModify = 4000063
    case nullRequestInfo = 4000079
    case nullRequestReferenceID = 4000080
    case invalidRequestReferenceID = 4000081
    case invalidConsistencyToken = 4000082
    case nullVersion = 4000083
    case unexpectedVersion = 4000084
    case nullTransactionID = 4000085
    case negativePrice = 4000086
    case skuLengthExceeded = 4000087
    case descriptionLengthExceeded = 4000088
    case displayNameLengthExceeded = 4000089
    case negativeProratedPrice = 4000091
    case nullOfferPeriod = 4000092
    case nullPeriodCount = 4000093
    case periodCountNotPositive = 4000094
    case nullReason = 4000095
    case invalidPreviousTransactionID = 4000096
    case repeatedRequestReferenceID = 4000097
    case nullCurrency = 4000098
    case nullTaxCode = 4000099
    case nullItems = 4000101
    case nullItem = 4000102
    case nullDescriptors = 4000103
    case nullPeriod = 4000104
    case nullSKU = 4000105
    case nullDisplayName = 4000106
    case nullDescription = 4000107
    case nullPrice = 4000109
    case nullRetainBillingCycle = 4000110
    case nullEffective = 4000111
    case nullNewSKU = 4000112
    case invalidPreviousSubscription = 4000113
    case productAlreadyExists = 4000114
    case invalidDisplayName = 4000118
    case invalidDescription = 4000119
    case invalidProduct = 4000121
    case invalidSKU = 4000122
    case invalidRefundType = 4000123
    case invalidRefundReason = 4000124
    case invalidChangeReason = 4000125
    case invalidOfferReason = 4000126
    case invalidTaxProductCode = 4000127
    case invalidOfferPeriod = 4000128
    case invalidOfferPeriodCount = 4000129
    case invalidRenewalPeriod = 4000130
    case invalidAmount = 4000132
    case mismatchedStorefront = 4000133
    case emptyAddChangeItems = 4000139
    case missingUpdatedItemsWithPeriodChange = 4000140
    case periodResetWithRetainBillingCycle = 4000141
    case periodChangeEffectiveConflict = 4000142
    case multipleOperationsOnSingleSKU = 4000143
    case removeItemsWithoutAddOrChangeItems = 4000144
    case removeItemNotFound = 4000145
    case changeItemNotFound = 4000146
    case misalignedBillingCycle = 4000147
    case billingCycleResetWithEffectiveLater = 4000148
    case periodChangeImmediateWithEffectiveAtNextBillingCycle = 4000149
    case invalidProratedPrice = 4000151
    case invalidOfferPrice = 4000152
    case nullRefundAmount = 4000153
    case negativeRefundAmount = 4000154
    case refundAmountWithoutCustom = 4000155
    case nullRefundReason = 4000156
    case nullRefundType = 4000157
    case simulateRefundDeclineOnlyInSandbox = 4000158
    case nullRefundRisking = 4000159
    case atLeastOneItem = 4000160
    case atLeastOneOfDisplayNameOrDescription = 4000165
    case nullTargetProductID = 4000166
    case invalidTargetProductID = 4000167
    case removalAllNotAllowed = 4000168
    case nullCurrentSKU = 4000169
    case nullAdvancedCommerceData = 4000171
    case invalidOperation = 4000172
    case malformedPayload = 4000173
    case invalidSignature = 4000174
    case subscriptionAlreadyMigrated = 4000176
    case offerPreventsItemMidCycleChange = 4000177
    case priceChangeNotSupportedThroughModifyItems = 4000178
    case pendingRefund = 4000181
    case proratedOnlyLatestTransaction = 4000182
    case invalidAppAccountToken = 4000183
    case partialSimulateRefundDecline = 4000184
    case revokeOnInactiveSubscription = 4000186
    case dependentSKUsCannotBeShared = 4000192
    case dependentSKUsCannotBeChained = 4000193
    case itemCannotBeSpecifiedMultipleTimes = 4000194
    case invalidSKUMustBeCurrent = 4000220
    case priceIncreaseNotSupportedInIndia = 4000221
    case invalidProratedPriceForLaterChange = 4000222
    case freeTrialMustUsePeriodCountOfOne = 4000223
    case subscriptionDoesNotExist = 4030008
    case subscriptionAlreadyExists = 4030009
    case subscriptionNotEligible = 4030010
    case subscriptionAlreadyActive = 4030011
    case productNotOwned = 4030013
    case inactiveSubscription = 4030015
    case alreadyRefunded = 4030021
    case transactionNotRefundable = 4030024
    case migrationNotAllowedWithPriceIncrease = 4030027
    case transactionIDNotFound = 4040010
}

extension AdvancedCommerceFault {
    /// The sentence, which quotes nothing from the request.
    package var message: String { "Invalid request. \(rule)" }

    private var rule: String {
        switch self {
        case .invalidTransactionID: "The transaction id is invalid."
        case .invalidStorefront: "A storefront country code was invalid."
        case .invalidCurrency: "The currency is not that of the storefront."
        case .oneItemNeededInModify: "A modification has to change something."
        case .nullRequestInfo: "The field requestInfo is required."
        case .nullRequestReferenceID: "The field requestReferenceId is required."
        case .invalidRequestReferenceID: "The requestReferenceId has to be a UUID."
        case .invalidConsistencyToken: "The consistencyToken is not that of the renewal."
        case .nullVersion: "The field version is required."
        case .unexpectedVersion: "The version has to be 1."
        case .nullTransactionID: "The field transactionId is required."
        case .negativePrice: "A price is negative."
        case .skuLengthExceeded: "A SKU has at most 128 characters."
        case .descriptionLengthExceeded: "A description has at most 45 characters."
        case .displayNameLengthExceeded: "A displayName has at most 30 characters."
        case .negativeProratedPrice: "A proratedPrice is negative."
        case .nullOfferPeriod: "An offer needs a period."
        case .nullPeriodCount: "An offer needs a periodCount."
        case .periodCountNotPositive: "The periodCount of an offer has to be positive."
        case .nullReason: "A change of an item, and an offer, need a reason."
        case .invalidPreviousTransactionID: "The previousTransactionId is not one of the customer's subscriptions."
        case .repeatedRequestReferenceID: "The requestReferenceId was used before."
        case .nullCurrency: "The field currency is required."
        case .nullTaxCode: "The field taxCode is required."
        case .nullItems: "The field items is required."
        case .nullItem: "An item is required, and may not be null."
        case .nullDescriptors: "The field descriptors is required."
        case .nullPeriod: "The field period is required."
        case .nullSKU: "The field SKU is required."
        case .nullDisplayName: "The field displayName is required."
        case .nullDescription: "The field description is required."
        case .nullPrice: "The field price is required."
        case .nullRetainBillingCycle: "The field retainBillingCycle is required."
        case .nullEffective: "The field effective is required."
        case .nullNewSKU: "A change of an item needs its new SKU."
        case .invalidPreviousSubscription: "The subscription of the previousTransactionId has not ended."
        case .productAlreadyExists: "The subscription has an item with this SKU."
        case .invalidDisplayName: "A displayName is empty."
        case .invalidDescription: "A description is empty."
        case .invalidProduct: "The product is not a generic one for this operation."
        case .invalidSKU: "A SKU is empty, or unknown to the purchase."
        case .invalidRefundType: "The refundType is invalid."
        case .invalidRefundReason: "The refundReason is invalid."
        case .invalidChangeReason: "The reason of a change is invalid."
        case .invalidOfferReason: "The reason of an offer is invalid."
        case .invalidTaxProductCode: "The taxCode is invalid."
        case .invalidOfferPeriod: "The period of an offer is invalid."
        case .invalidOfferPeriodCount: "The periodCount of an offer is at most 12."
        case .invalidRenewalPeriod: "The period is invalid."
        case .invalidAmount: "An amount exceeds the price."
        case .mismatchedStorefront: "The storefront is not the customer's."
        case .emptyAddChangeItems: "A list of items to add, change or remove is empty."
        case .missingUpdatedItemsWithPeriodChange: "A change of the period has to change or remove every item."
        case .periodResetWithRetainBillingCycle:
            "The period cannot change immediately while the billing cycle is retained."
        case .periodChangeEffectiveConflict: "Items cannot change immediately if the period changes later."
        case .multipleOperationsOnSingleSKU: "An item can be added, changed or removed once."
        case .removeItemsWithoutAddOrChangeItems: "Items cannot be removed alone if the billing cycle is reset."
        case .removeItemNotFound: "An item to remove is not part of the subscription."
        case .changeItemNotFound: "An item to change is not part of the subscription."
        case .misalignedBillingCycle: "The periods of the items' offers differ."
        case .billingCycleResetWithEffectiveLater: "A change that resets the billing cycle has to be immediate."
        case .periodChangeImmediateWithEffectiveAtNextBillingCycle:
            "Items cannot change later if the period changes immediately."
        case .invalidProratedPrice: "A proratedPrice exceeds the price, or the billing cycle is not retained."
        case .invalidOfferPrice: "The price of an offer is not below that of its item."
        case .nullRefundAmount: "A custom refund needs a refundAmount."
        case .negativeRefundAmount: "A refundAmount is negative."
        case .refundAmountWithoutCustom: "A refundAmount needs the refundType CUSTOM."
        case .nullRefundReason: "The field refundReason is required."
        case .nullRefundType: "The field refundType is required."
        case .simulateRefundDeclineOnlyInSandbox: "A declined refund is simulated in the sandbox only."
        case .nullRefundRisking: "The field refundRiskingPreference is required."
        case .atLeastOneItem: "At least one item is required."
        case .atLeastOneOfDisplayNameOrDescription: "A displayName, a description or a new SKU is required."
        case .nullTargetProductID: "The field targetProductId is required."
        case .invalidTargetProductID: "The targetProductId is not that of a generic subscription."
        case .removalAllNotAllowed: "At least one item has to remain."
        case .nullCurrentSKU: "The field currentSKU is required."
        case .nullAdvancedCommerceData: "A generic product is sold by a signed request."
        case .invalidOperation: "The operation is unknown."
        case .malformedPayload: "The request is not the JSON of this operation."
        case .invalidSignature: "The signature or a claim of the JWS is invalid."
        case .subscriptionAlreadyMigrated: "The subscription is one of Advanced Commerce."
        case .offerPreventsItemMidCycleChange: "An item with an offer cannot change within a billing cycle."
        case .priceChangeNotSupportedThroughModifyItems: "A modification cannot change the price of a SKU."
        case .pendingRefund: "A refund of the transaction is pending."
        case .proratedOnlyLatestTransaction:
            "Only the latest transaction of a subscription is refunded in part for its remaining time."
        case .invalidAppAccountToken: "The app account token field must contain a valid UUID."
        case .partialSimulateRefundDecline: "A declined refund is simulated for all items or none."
        case .revokeOnInactiveSubscription: "An inactive subscription cannot be revoked."
        case .dependentSKUsCannotBeShared: "Two price changes have the same dependent SKU."
        case .dependentSKUsCannotBeChained: "A dependent SKU has dependent SKUs."
        case .itemCannotBeSpecifiedMultipleTimes: "An item occurs several times."
        case .invalidSKUMustBeCurrent: "A SKU is not one that is set to renew."
        case .priceIncreaseNotSupportedInIndia: "Prices cannot be increased in India."
        case .invalidProratedPriceForLaterChange: "A change at the next billing cycle has no proratedPrice."
        case .freeTrialMustUsePeriodCountOfOne: "A free offer has the periodCount 1."
        case .subscriptionDoesNotExist: "The transaction belongs to no subscription."
        case .subscriptionAlreadyExists: "The customer has an active subscription with this SKU."
        case .subscriptionNotEligible: "The purchase was not made by Advanced Commerce."
        case .subscriptionAlreadyActive: "The subscription is set to renew."
        case .productNotOwned: "The transaction belongs to another customer."
        case .inactiveSubscription: "The subscription is not active."
        case .alreadyRefunded: "The transaction, or an item, is refunded."
        case .transactionNotRefundable: "Nothing was paid."
        case .migrationNotAllowedWithPriceIncrease: "The customer was told that the price increases."
        case .transactionIDNotFound: "Transaction id not found."
        }
    }
}

extension AdvancedCommerceFault {
    /// Returns the failure of a payment for a product, from which Store Kit 2 makes an `InvalidRequestError`.
    func failure(of product: String) -> StoreFailure {
        StoreFailure(
            domain: .storeKit,
            code: StoreFailure.Code.paymentInvalid.rawValue,
            reason: "the request for \(product) is refused with \(rawValue): \(rule)",
            underlying: .init(domain: StoreFailure.advancedCommerceDomain, code: rawValue, reason: message)
        )
    }
}
