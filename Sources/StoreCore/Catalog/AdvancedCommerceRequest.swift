import Foundation

/// A valid request of the Advanced Commerce API that an app passes to a purchase.
struct AdvancedCommerceRequest: Hashable, Sendable {
    /// The operation, with its values.
    enum Operation: Hashable, Sendable {
        /// Charges for an item once.
        case charge(AdvancedCommerceContent)
        /// Begins a subscription, possibly in continuation of an ended one, which is named by a transaction.
        case create(AdvancedCommerceContent, previous: String?)
        /// Changes the subscription of a transaction.
        case modify(String, AdvancedCommerceModification)
        /// Turns on the renewal of the subscription of a transaction, for some items or all.
        case reactivate(String, skus: [String]?)
    }

    let info: AdvancedCommerceRequestInfo
    let operation: Operation
    /// The country for which the server has set the prices, ISO 3166-1 alpha-3; nil if it names none.
    let storefront: String?
    /// The currency of the prices; nil if the request has no prices.
    let currency: String?

    /// Reads a request.
    ///
    /// - Throws: the first defect of the JSON, which may be any data.
    init(_ json: Data) throws(AdvancedCommerceFault) {
        let members = try AdvancedCommerceMembers(json)
        guard let version = members.version else { throw .nullVersion }
        guard version == "1" else { throw .unexpectedVersion }
        info = try members.info
        storefront = members.storefront
        switch members.operation {
        case "CREATE_ONE_TIME_CHARGE":
            guard let item = members.item else { throw .nullItem }
            let content = AdvancedCommerceContent(
                reference: info.reference,
                taxCode: try members.requiredTaxCode,
                items: [try item.priced(hasOffer: false)],
                user: info.appAccountToken
            )
            operation = .charge(content)
            currency = try members.requiredCurrency
        case "CREATE_SUBSCRIPTION":
            guard let descriptors = members.descriptors else { throw .nullDescriptors }
            let content = AdvancedCommerceContent(
                reference: info.reference,
                taxCode: try members.requiredTaxCode,
                descriptors: try descriptors.value,
                period: try AdvancedCommerceMembers.period(members.period),
                items: try AdvancedCommerceMembers.items(members.items).map { item throws(AdvancedCommerceFault) in
                    try item.priced(hasOffer: true)
                },
                user: info.appAccountToken
            )
            guard Set(content.items.map { ExactText($0.sku) }).count == content.items.count else {
                throw .itemCannotBeSpecifiedMultipleTimes
            }
            guard content.isAligned else { throw .misalignedBillingCycle }
            operation = .create(content, previous: members.previousTransactionId)
            currency = try members.requiredCurrency
        case "MODIFY_SUBSCRIPTION":
            guard let transaction = members.transactionId else { throw .nullTransactionID }
            let modification = try members.modification
            operation = .modify(transaction, modification)
            let hasPrices = !modification.additions.isEmpty || !modification.changes.isEmpty
            currency = hasPrices ? try members.requiredCurrency : members.currency
        case "REACTIVATE_SUBSCRIPTION":
            guard let transaction = members.transactionId else { throw .nullTransactionID }
            let items = try members.items.map { items throws(AdvancedCommerceFault) in
                try AdvancedCommerceMembers.items(items)
            }
            let skus = try items?.map { item throws(AdvancedCommerceFault) in try item.requiredSKU }
            operation = .reactivate(transaction, skus: skus)
            currency = nil
        default: throw .invalidOperation
        }
    }
}

/// The metadata of a request.
struct AdvancedCommerceRequestInfo: Hashable, Sendable {
    /// The server's identifier of the request, which may be used once.
    let reference: UUID
    /// The UUID of the app's user; nil for none.
    let appAccountToken: UUID?
    /// The token of the renewal that the server has last read; nil if it does not matter.
    let consistencyToken: String?
}

extension StorePayment {
    /// Returns the payment's request; nil if there is none, or if it has a defect.
    ///
    /// The signature may be invalid.
    var advancedCommerceRequest: AdvancedCommerceRequest? {
        requestData == nil ? nil : requestProof.flatMap { try? AdvancedCommerceRequest($0.claims.request) }
    }
}
