import Foundation
import StoreCore

/// An error of the App Store Server API, with a number and a sentence.
///
/// The number begins with the three digits of the HTTP status. Numbers and sentences are Apple's, since clients compare
/// them. There are exceptions, for which no published source was found: the errors 4000207, 4000208 and 4000210, and
/// the sentences of 4000025, 4000183, 4000187, of those on retention messages, and of ``AdvancedCommerceFault``. They are
/// modeled on similar errors.
package struct APIError: Error, Hashable, Sendable {
    /// The number, `errorCode` in the response.
    package let code: Int
    /// The sentence, `errorMessage` in the response.
    ///
    /// The sentence quotes nothing from the request.
    package let message: String

    private init(_ code: Int, _ message: String) { (self.code, self.message) = (code, message) }

    /// Creates the error with a number; nil for an unknown number.
    package init?(code: Int) {
        guard let known = Self.all.first(where: { $0.code == code }) else { return nil }
        self = known
    }

    /// Creates the error for a defect of an Advanced Commerce request.
    init(_ fault: AdvancedCommerceFault) { self = APIError(code: fault.rawValue) ?? .badRequest }

    /// The errors of Advanced Commerce that are not errors of the App Store Server API too.
    fileprivate static let advancedCommerce = AdvancedCommerceFault.allCases.map { APIError($0.rawValue, $0.message) }
        .filter { error in !appStoreServer.contains { $0.code == error.code } }

    /// Returns the response to a request; `date` is the current time by the clients' clocks.
    ///
    /// For ``rateLimitExceeded``, the header `Retry-After` is one second after `date`, in milliseconds since 1970: soon
    /// enough for a test to wait until a client that obeys the header repeats its request.
    package func response(at date: Date) -> HTTPResponse {
        var response = HTTPResponse(
            code / 10_000,
            json: AnswerValue.object(["errorCode": .number(code), "errorMessage": .text(message)]).json
        )
        if self == .rateLimitExceeded {
            response.headers["Retry-After"] = String(PayloadDate(date.addingTimeInterval(1)).milliseconds)
        }
        return response
    }
}

extension APIError {
    static let badRequest = APIError(4000000, "Bad request.")
    static let invalidAppIdentifier = APIError(4000002, "Invalid request app identifier.")
    static let invalidRequestRevision = APIError(4000005, "Invalid request revision.")
    static let invalidTransactionIdentifier = APIError(4000006, "Invalid transaction id.")
    static let invalidOriginalTransactionIdentifier = APIError(4000008, "Invalid original transaction id.")
    static let invalidExtendByDays = APIError(4000009, "Invalid extend by days value.")
    static let invalidExtendReasonCode = APIError(4000010, "Invalid extend reason code.")
    static let invalidRequestIdentifier = APIError(4000011, "Invalid request identifier.")
    static let startDateTooFarInPast = APIError(
        4000012,
        "Invalid request. The start date is earlier than the allowed start date."
    )
    static let startDateAfterEndDate = APIError(
        4000013,
        "Invalid request. The end date precedes the start date or the dates are the same."
    )
    static let invalidPaginationToken = APIError(4000014, "Invalid request. The pagination token is invalid.")
    static let invalidStartDate = APIError(
        4000015,
        "Invalid request. The start date is not a timestamp value represented in milliseconds."
    )
    static let invalidEndDate = APIError(
        4000016,
        "Invalid request. The end date is not a timestamp value represented in milliseconds."
    )
    static let paginationTokenExpired = APIError(4000017, "Invalid request. The pagination token is expired.")
    static let invalidNotificationType = APIError(
        4000018,
        "Invalid request. The notification type or subtype is invalid."
    )
    static let multipleFiltersSupplied = APIError(
        4000019,
        "Invalid request. Supply either a transaction id or a notification type, but not both."
    )
    static let invalidTestNotificationToken = APIError(
        4000020,
        "Invalid request. The test notification token is invalid."
    )
    static let invalidSort = APIError(4000021, "Invalid request. The sort parameter is invalid.")
    static let invalidProductType = APIError(4000022, "Invalid request. The product type parameter is invalid.")
    static let invalidProductIdentifier = APIError(4000023, "Invalid request. The product id parameter is invalid.")
    static let invalidSubscriptionGroupIdentifier = APIError(
        4000024,
        "Invalid request. The subscription group identifier parameter is invalid."
    )
    static let invalidExcludeRevoked = APIError(4000025, "Invalid request. The exclude revoked parameter is invalid.")
    static let invalidInAppOwnershipType = APIError(
        4000026,
        "Invalid request. The in-app ownership type parameter is invalid."
    )
    static let invalidEmptyStorefrontCountryCodeList = APIError(
        4000027,
        "Invalid request. If provided, the list of storefront country codes must not be empty."
    )
    static let invalidStorefrontCountryCode = APIError(
        4000028,
        "Invalid request. A storefront country code was invalid."
    )
    static let invalidRevoked = APIError(4000030, "Invalid request. The revoked parameter is invalid.")
    static let invalidStatus = APIError(4000031, "Invalid request. The status parameter is invalid.")
    static let invalidAccountTenure = APIError(4000032, "Invalid request. The account tenure field is invalid.")
    static let invalidConsumptionToken = APIError(
        4000033,
        "Invalid request. The app account token field must contain a valid UUID or an empty string."
    )
    static let invalidConsumptionStatus = APIError(4000034, "Invalid request. The consumption status field is invalid.")
    static let invalidCustomerConsented = APIError(
        4000035,
        "Invalid request. The customer consented field is required and must indicate the customer consented."
    )
    static let invalidDeliveryStatus = APIError(4000036, "Invalid request. The delivery status field is invalid.")
    static let invalidLifetimeDollarsPurchased = APIError(
        4000037,
        "Invalid request. The lifetime dollars purchased field is invalid."
    )
    static let invalidLifetimeDollarsRefunded = APIError(
        4000038,
        "Invalid request. The lifetime dollars refunded field is invalid."
    )
    static let invalidPlatform = APIError(4000039, "Invalid request. The platform field is invalid.")
    static let invalidPlayTime = APIError(4000040, "Invalid request. The playtime field is invalid.")
    static let invalidSampleContentProvided = APIError(
        4000041,
        "Invalid request. The sample content provided field is invalid."
    )
    static let invalidUserStatus = APIError(4000042, "Invalid request. The user status field is invalid.")
    static let transactionNotConsumable = APIError(
        4000043,
        "Invalid request. The transaction id parameter must represent a consumable in-app purchase."
    )
    static let invalidRefundPreference = APIError(4000044, "Invalid request. The refund preference field is invalid.")
    static let transactionTypeNotSupported = APIError(
        4000047,
        "Invalid request. The transaction id doesn't represent a supported in-app purchase type."
    )
    static let appTransactionIdentifierNotSupported = APIError(
        4000048,
        "Invalid request. App transactions aren't supported by this endpoint."
    )
    static let invalidImage = APIError(
        4000161,
        "Invalid request. The image isn't a PNG file without transparency, or its dimensions are invalid."
    )
    static let headerTooLong = APIError(4000162, "Invalid request. The header is too long.")
    static let bodyTooLong = APIError(4000163, "Invalid request. The body is too long.")
    static let invalidLocale = APIError(4000164, "Invalid request. The locale is invalid.")
    static let altTextTooLong = APIError(4000175, "Invalid request. The alternative text is too long.")
    static let invalidAppAccountToken = APIError(
        4000183,
        "Invalid request. The app account token field must contain a valid UUID."
    )
    static let familyTransactionNotSupported = APIError(
        4000185,
        "Invalid request. Family Sharing transactions aren't supported by this endpoint."
    )
    static let transactionIsNotOriginal = APIError(
        4000187,
        "Invalid request. The transaction id is not an original transaction id."
    )
    static let consumptionPercentageOutOfRange = APIError(
        4000207,
        "Invalid request. The consumption percentage field is out of range."
    )
    static let undeliveredConsumptionPercentageNonZero = APIError(
        4000208,
        "Invalid request. The consumption percentage field must be zero for the delivery status."
    )
    static let consumptionPercentageAutoRenewableSubscription = APIError(
        4000209,
        "Invalid request. The consumption percentage field is not supported for auto-renewable subscription transactions."
    )
    static let advancedCommerceTransactionNotSupported = APIError(
        4000210,
        "Invalid request. Advanced Commerce API transactions aren't supported by this endpoint."
    )
    static let invalidPerformanceTestRequest = APIError(
        4000211,
        "Invalid request. A performance test needs an original transaction id of a subscription and a configured URL."
    )
    static let invalidRequestID = APIError(4000212, "Invalid request. The request id must be a UUID.")
    static let existingPerformanceTestRun = APIError(4000213, "Invalid request. A performance test is in progress.")
    static let badRequestRealtimeURL = APIError(4000215, "Invalid request. The URL is invalid.")
    static let badRequestImageSize = APIError(4000216, "Invalid request. The image size is invalid.")
    static let badRequestTooManyBulletPoints = APIError(4000218, "Invalid request. There are too many bullet points.")
    static let badRequestBulletPointTextTooLong = APIError(
        4000219,
        "Invalid request. The text of a bullet point is too long."
    )
    static let badRequestAboveImageRequiresAnImage = APIError(
        4000224,
        "Invalid request. A header above the image requires an image."
    )
    static let subscriptionExtensionIneligible = APIError(
        4030004,
        "Forbidden - subscription state ineligible for extension."
    )
    static let subscriptionMaximumExtension = APIError(
        4030005,
        "Forbidden - subscription has reached maximum extension count."
    )
    static let familySharedSubscriptionExtensionIneligible = APIError(
        4030007,
        "Subscriptions that users obtain through Family Sharing can't get a renewal date extension directly."
    )
    static let maximumNumberOfImagesReached = APIError(4030014, "Forbidden - the maximum number of images is reached.")
    static let maximumNumberOfMessagesReached = APIError(
        4030016,
        "Forbidden - the maximum number of messages is reached."
    )
    static let messageNotApproved = APIError(4030017, "Forbidden - the message isn't approved.")
    static let imageNotApproved = APIError(4030018, "Forbidden - an image of the message isn't approved.")
    static let imageInUse = APIError(4030019, "Forbidden - a message uses the image.")
    static let forbiddenNoPassingTest = APIError(4030026, "Forbidden - the server hasn't passed a performance test.")
    static let accountNotFound = APIError(4040001, "Account not found.")
    static let accountNotFoundRetryable = APIError(4040002, "Account not found. Please try again.")
    static let appNotFound = APIError(4040003, "App not found.")
    static let appNotFoundRetryable = APIError(4040004, "App not found. Please try again.")
    static let originalTransactionIdentifierNotFound = APIError(4040005, "Original transaction id not found.")
    static let originalTransactionIdentifierNotFoundRetryable = APIError(
        4040006,
        "Original transaction id not found. Please try again."
    )
    static let serverNotificationURLNotFound = APIError(
        4040007,
        "No App Store Server Notification URL found for provided app. Check that a URL is configured in App Store Connect for this environment."
    )
    static let testNotificationNotFound = APIError(
        4040008,
        "Either the test notification token is expired or the notification and status are not yet available."
    )
    static let statusRequestNotFound = APIError(
        4040009,
        "The server didn't find a subscription-renewal-date extension request for this requestIdentifier and productId combination."
    )
    static let transactionIdentifierNotFound = APIError(4040010, "Transaction id not found.")
    static let imageNotFound = APIError(4040014, "Image not found.")
    static let messageNotFound = APIError(4040015, "Message not found.")
    static let performanceTestRunNotFound = APIError(4040018, "Performance test not found.")
    static let appTransactionDoesNotExist = APIError(4040019, "No AppTransaction exists for the customer.")
    static let defaultMessageNotFound = APIError(4040020, "Default message not found.")
    static let realtimeURLNotFound = APIError(4040021, "No URL is configured.")
    static let imageAlreadyExists = APIError(4090000, "An image with this identifier exists.")
    static let messageAlreadyExists = APIError(4090001, "A message with this identifier exists.")
    static let rateLimitExceeded = APIError(4290000, "Rate limit exceeded.")
    static let internalError = APIError(5000000, "An unknown error occurred.")
    static let internalErrorRetryable = APIError(5000001, "An unknown error occurred. Please try again.")

    /// All errors, in ascending order of their numbers.
    package static let all = (appStoreServer + advancedCommerce).sorted { $0.code < $1.code }

    /// The errors of the App Store Server API, in ascending order of their numbers.
    fileprivate static let appStoreServer: [APIError] = [
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
        invalidExcludeRevoked,
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
        transactionNotConsumable,
        invalidRefundPreference,
        transactionTypeNotSupported,
        appTransactionIdentifierNotSupported,
        invalidImage,
        headerTooLong,
        bodyTooLong,
        invalidLocale,
        altTextTooLong,
        invalidAppAccountToken,
        familyTransactionNotSupported,
        transactionIsNotOriginal,
        consumptionPercentageOutOfRange,
        undeliveredConsumptionPercentageNonZero,
        consumptionPercentageAutoRenewableSubscription,
        advancedCommerceTransactionNotSupported,
        invalidPerformanceTestRequest,
        invalidRequestID,
        existingPerformanceTestRun,
        badRequestRealtimeURL,
        badRequestImageSize,
        badRequestTooManyBulletPoints,
        badRequestBulletPointTextTooLong,
        badRequestAboveImageRequiresAnImage,
        subscriptionExtensionIneligible,
        subscriptionMaximumExtension,
        familySharedSubscriptionExtensionIneligible,
        maximumNumberOfImagesReached,
        maximumNumberOfMessagesReached,
        messageNotApproved,
        imageNotApproved,
        imageInUse,
        forbiddenNoPassingTest,
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
        imageNotFound,
        messageNotFound,
        performanceTestRunNotFound,
        appTransactionDoesNotExist,
        defaultMessageNotFound,
        realtimeURLNotFound,
        imageAlreadyExists,
        messageAlreadyExists,
        rateLimitExceeded,
        internalError,
        internalErrorRetryable,
    ]
}
