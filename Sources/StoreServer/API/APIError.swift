import StoreCore

/// An error of the App Store Server API: a number, the first three digits of which are the HTTP status, and a sentence.
package struct APIError: Error, Hashable, Sendable {
    /// The number, `errorCode` in the response.
    package let code: Int
    /// The sentence, `errorMessage` in the response.
    ///
    /// Its wording is not stable, and it holds nothing of the request.
    package let message: String

    private init(_ code: Int, _ message: String) { (self.code, self.message) = (code, message) }

    /// Returns the error with a number; nil for an unknown one.
    package init?(code: Int) {
        guard let known = Self.all.first(where: { $0.code == code }) else { return nil }
        self = known
    }

    /// The response.
    package var response: HTTPResponse {
        HTTPResponse(
            code / 10_000,
            json: AnswerValue.object(["errorCode": .number(code), "errorMessage": .text(message)]).json
        )
    }
}

extension APIError {
    static let badRequest = APIError(4000000, "The request is malformed.")
    static let invalidAppIdentifier = APIError(4000002, "The app's identifier is malformed.")
    static let invalidRequestRevision = APIError(
        4000005,
        "The revision is not one that this server gave for this history."
    )
    static let invalidTransactionIdentifier = APIError(4000006, "The transaction identifier is malformed.")
    static let invalidOriginalTransactionIdentifier = APIError(
        4000008,
        "The original transaction identifier is malformed."
    )
    static let invalidExtendByDays = APIError(
        4000009,
        "The number of days to extend by has to be a whole one from 1 to 90."
    )
    static let invalidExtendReasonCode = APIError(4000010, "The reason of an extension has to be a number from 0 to 3.")
    static let invalidRequestIdentifier = APIError(
        4000011,
        "The request identifier has to be a text of 1 to 128 characters."
    )
    static let startDateTooFarInPast = APIError(4000012, "The start date lies more than 180 days in the past.")
    static let startDateAfterEndDate = APIError(4000013, "The start date has to be before the end date.")
    static let invalidPaginationToken = APIError(
        4000014,
        "The pagination token is not one that this server gave for this request."
    )
    static let invalidStartDate = APIError(4000015, "The start date has to be a number of milliseconds since 1970.")
    static let invalidEndDate = APIError(4000016, "The end date has to be a number of milliseconds since 1970.")
    static let paginationTokenExpired = APIError(4000017, "The pagination token has expired.")
    static let invalidNotificationType = APIError(4000018, "The notification type, or its subtype, is unknown.")
    static let multipleFiltersSupplied = APIError(
        4000019,
        "A history is filtered by a transaction or by a type, not by both."
    )
    static let invalidTestNotificationToken = APIError(4000020, "The token of the test notification is malformed.")
    static let invalidSort = APIError(4000021, "The sort order is ASCENDING or DESCENDING.")
    static let invalidProductType = APIError(
        4000022,
        "The product type is AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE."
    )
    static let invalidProductIdentifier = APIError(4000023, "The product identifier is malformed.")
    static let invalidSubscriptionGroupIdentifier = APIError(
        4000024,
        "The subscription group's identifier is malformed."
    )
    static let invalidInAppOwnershipType = APIError(4000026, "The ownership type is FAMILY_SHARED or PURCHASED.")
    static let invalidEmptyStorefrontCountryCodeList = APIError(4000027, "The list of storefronts must not be empty.")
    static let invalidStorefrontCountryCode = APIError(
        4000028,
        "A storefront is a country of ISO 3166-1 alpha-3 in which the app is sold."
    )
    static let invalidRevoked = APIError(4000030, "The filter for revoked transactions is true or false.")
    static let invalidStatus = APIError(4000031, "The status of a subscription is a number from 1 to 5.")
    static let invalidAccountTenure = APIError(4000032, "The account's tenure is a number from 0 to 7.")
    static let invalidConsumptionToken = APIError(4000033, "The app account token is a UUID, or empty.")
    static let invalidConsumptionStatus = APIError(4000034, "The consumption's status is a number from 0 to 3.")
    static let invalidCustomerConsented = APIError(
        4000035,
        "A report on a consumption needs the customer's consent: customerConsented has to be true."
    )
    static let invalidDeliveryStatus = APIError(4000036, "The delivery's status is none of the known ones.")
    static let invalidLifetimeDollarsPurchased = APIError(
        4000037,
        "The amount of the account's purchases is a number from 0 to 7."
    )
    static let invalidLifetimeDollarsRefunded = APIError(
        4000038,
        "The amount of the account's refunds is a number from 0 to 7."
    )
    static let invalidPlatform = APIError(4000039, "The platform is a number from 0 to 2.")
    static let invalidPlayTime = APIError(4000040, "The play time is a number from 0 to 7.")
    static let invalidSampleContentProvided = APIError(4000041, "Whether there was a sample is true or false.")
    static let invalidUserStatus = APIError(4000042, "The user's status is a number from 0 to 4.")
    static let transactionTypeNotSupported = APIError(4000047, "The product of the transaction does not allow that.")
    static let appTransactionIdentifierNotSupported = APIError(
        4000048,
        "An app transaction's identifier is not accepted here."
    )
    static let invalidAppAccountToken = APIError(4000183, "The app account token has to be a UUID.")
    static let familyTransactionNotSupported = APIError(4000185, "What the family shares has no app account token.")
    static let transactionIsNotOriginal = APIError(4000187, "The transaction is not the first one of its chain.")
    static let subscriptionExtensionIneligible = APIError(
        4030004,
        "The subscription is not active, so its renewal cannot be extended."
    )
    static let subscriptionMaximumExtension = APIError(4030005, "The renewal was extended twice within a year already.")
    static let familySharedSubscriptionExtensionIneligible = APIError(
        4030007,
        "What the family shares is extended for the one who pays."
    )
    static let accountNotFound = APIError(4040001, "There is no such account.")
    static let accountNotFoundRetryable = APIError(4040002, "There is no such account now; try again later.")
    static let appNotFound = APIError(4040003, "There is no such app.")
    static let appNotFoundRetryable = APIError(4040004, "There is no such app now; try again later.")
    static let originalTransactionIdentifierNotFound = APIError(4040005, "There is no such original transaction.")
    static let originalTransactionIdentifierNotFoundRetryable = APIError(
        4040006,
        "There is no such original transaction now; try again later."
    )
    static let serverNotificationURLNotFound = APIError(4040007, "The server has no URL to send notifications to.")
    static let testNotificationNotFound = APIError(
        4040008,
        "There is no test notification with this token, or it has not been sent."
    )
    static let statusRequestNotFound = APIError(
        4040009,
        "There is no extension of this product with this request identifier."
    )
    static let transactionIdentifierNotFound = APIError(4040010, "There is no such transaction.")
    static let appTransactionDoesNotExist = APIError(4040019, "The account has no app transaction.")
    static let rateLimitExceeded = APIError(4290000, "There were too many requests; try again later.")
    static let internalError = APIError(5000000, "The server failed.")
    static let internalErrorRetryable = APIError(5000001, "The server failed; try again later.")

    /// All errors, by their numbers.
    package static let all: [APIError] = [
        badRequest,
        invalidAppIdentifier,
        invalidRequestRevision,
        invalidTransactionIdentifier,
        invalidOriginalTransactionIdentifier,
        invalidExtendByDays,
        invalidExtendReasonCode,
        invalidRequestIdentifier,
        startDateTooFarInPast,
        startDateAfterEndDate,
        invalidPaginationToken,
        invalidStartDate,
        invalidEndDate,
        paginationTokenExpired,
        invalidNotificationType,
        multipleFiltersSupplied,
        invalidTestNotificationToken,
        invalidSort,
        invalidProductType,
        invalidProductIdentifier,
        invalidSubscriptionGroupIdentifier,
        invalidInAppOwnershipType,
        invalidEmptyStorefrontCountryCodeList,
        invalidStorefrontCountryCode,
        invalidRevoked,
        invalidStatus,
        invalidAccountTenure,
        invalidConsumptionToken,
        invalidConsumptionStatus,
        invalidCustomerConsented,
        invalidDeliveryStatus,
        invalidLifetimeDollarsPurchased,
        invalidLifetimeDollarsRefunded,
        invalidPlatform,
        invalidPlayTime,
        invalidSampleContentProvided,
        invalidUserStatus,
        transactionTypeNotSupported,
        appTransactionIdentifierNotSupported,
        invalidAppAccountToken,
        familyTransactionNotSupported,
        transactionIsNotOriginal,
        subscriptionExtensionIneligible,
        subscriptionMaximumExtension,
        familySharedSubscriptionExtensionIneligible,
        accountNotFound,
        accountNotFoundRetryable,
        appNotFound,
        appNotFoundRetryable,
        originalTransactionIdentifierNotFound,
        originalTransactionIdentifierNotFoundRetryable,
        serverNotificationURLNotFound,
        testNotificationNotFound,
        statusRequestNotFound,
        transactionIdentifierNotFound,
        appTransactionDoesNotExist,
        rateLimitExceeded,
        internalError,
        internalErrorRetryable,
    ]
}
