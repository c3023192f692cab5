/// A mistake in a report on external purchases, for which the store refuses the report.
package struct ExternalReportMistake: Hashable, Sendable {
    /// The kind of a mistake, with its number in the External Purchase Server API.
    ///
    /// The numbers 37, 38 and 40 follow from the order of Apple's list of errors, in which every other number is the
    /// place of its error.
    package enum Kind: Int, Hashable, CaseIterable, Sendable {
        case duplicateValue = 1
        case reportingCurrencyMismatch = 2
        case notFound = 3
        case omittedField = 4
        case fieldNotAllowed = 5
        case futureDate = 6
        case unknownEnum = 7
        case lineItemStatusRegression = 8
        case missingLineItemsForStatus = 9
        case lineItemsNotAllowedForStatus = 10
        case incorrectAmountTaxInclusive = 11
        case incorrectNetAmount = 12
        case selfReference = 13
        case referenceInvalidSubscriptionEvent = 14
        case negativeValueNotAllowed = 15
        case positiveValueRequired = 16
        case startDateAfterEndDate = 17
        case maximumLengthExceeded = 19
        case erroneouslySubmittedNotRestatement = 20
        case referenceLineItemNotABuy = 21
        case taxCountryMismatch = 23
        case validLineItemReferencesErroneousLineItem = 25
        case repeatErroneousSubmission = 30
        case referencedCreationDateIncompatible = 31
        case pricingCurrencyMismatch = 32
        case exchangeRateMismatch = 33
        case subscriptionStartNonZeroDaysPaidService = 34
        case invalidTaxInclusiveAmountForSubscriptionPayment = 35
        case lineItemCreationDateOutOfRange = 36
        case duplicateTokenStatusNotAllowed = 37
        case restatementCreationDateMismatch = 38
        case restatementNotAllowedCreationDate = 39
        case refundNotAllowedCreationDate = 40
    }

    /// The kind.
    package let kind: Kind
    /// The field at fault.
    package let field: String
    /// The transaction at fault; nil if the mistake is about none.
    package let lineItem: String?

    /// Creates a mistake.
    package init(_ kind: Kind, _ field: String, of lineItem: String? = nil) {
        (self.kind, self.field, self.lineItem) = (kind, field, lineItem)
    }
}
