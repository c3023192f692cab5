import StoreCore

extension ExternalReportMistake {
    /// The mistake as JSON.
    fileprivate var members: [String: AnswerValue] {
        var members: [String: AnswerValue] = [
            "errorCode": .number(kind.rawValue), "errorMessage": .text(kind.message), "fieldName": .text(field),
        ]
        members["lineItemId"] = lineItem.map { .text($0) }
        return members
    }

    /// The response that has the mistake alone.
    var response: HTTPResponse { HTTPResponse(400, json: AnswerValue.object(members).json) }

    /// Returns the response that lists mistakes.
    static func response(listing mistakes: [ExternalReportMistake]) -> HTTPResponse {
        let errors = AnswerValue.list(mistakes.map { .object($0.members) })
        return HTTPResponse(400, json: AnswerValue.object(["errors": errors]).json)
    }
}

extension ExternalReportMistake.Kind {
    /// The sentence, `errorMessage` in the response.
    ///
    /// Sentences are Apple's, since clients compare them, except those of the errors 37, 38 and 40, for which no
    /// published source was found.
    fileprivate var message: String {
        switch self {
        case .duplicateValue: "The field's value is already submitted and a duplicate value is not expected."
        case .reportingCurrencyMismatch: "The refund's referenced buy line item has a different reporting currency."
        case .notFound: "The referenced value was not found."
        case .omittedField: "A required field is missing."
        case .fieldNotAllowed: "The provided field is not allowed."
        case .futureDate: "The provided date field is in the future and future values are not allowed."
        case .unknownEnum: "The provided value is unknown for an enumeration."
        case .lineItemStatusRegression:
            "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM."
        case .missingLineItemsForStatus: "Missing line items for an external purchase ID that has a LINE_ITEM status."
        case .lineItemsNotAllowedForStatus:
            "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status."
        case .incorrectAmountTaxInclusive:
            "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount."
        case .incorrectNetAmount: "The net amount value does not match the expected value."
        case .selfReference: "The line item may not reference itself."
        case .referenceInvalidSubscriptionEvent:
            "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START."
        case .negativeValueNotAllowed: "This field doesn't allow a negative value."
        case .positiveValueRequired: "This field requires a positive value."
        case .startDateAfterEndDate: "The start date is after the end date."
        case .maximumLengthExceeded: "The field's maximum length is exceeded."
        case .erroneouslySubmittedNotRestatement:
            "Expecting restatement for an erroneously submitted line item, but line item is not a restatement."
        case .referenceLineItemNotABuy: "The referenced line item is not a buy."
        case .taxCountryMismatch: "The refund's referenced buy line item has a different tax country."
        case .validLineItemReferencesErroneousLineItem:
            "The line item references an erroneously submitted line item, but the line item itself is not erroneously submitted."
        case .repeatErroneousSubmission:
            "The line item has status erroneously submitted but its previous version was already marked erroneously submitted."
        case .referencedCreationDateIncompatible:
            "The referenced line item has a creation date after the line item's creation date."
        case .pricingCurrencyMismatch: "The refund's referenced buy line item has a different pricing currency."
        case .exchangeRateMismatch: "The refund's referenced buy line item has a different exchange rate."
        case .subscriptionStartNonZeroDaysPaidService:
            "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START."
        case .invalidTaxInclusiveAmountForSubscriptionPayment:
            "The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT."
        case .lineItemCreationDateOutOfRange:
            "The line item's creation date is outside the active range of the token. Date must be in milliseconds."
        case .duplicateTokenStatusNotAllowed: "The DUPLICATE_TOKEN status is not allowed for the type of this token."
        case .restatementCreationDateMismatch:
            "The creation date of the restatement does not match that of the original line item."
        case .restatementNotAllowedCreationDate:
            "Restatement is not allowed for this line item because its creation date is too far in the past."
        case .refundNotAllowedCreationDate:
            "A purchase that was made more than a year ago may not be refunded any more."
        }
    }
}
