/// The expected values of a `.storekit` file, in the words of its errors.
enum StorekitFileExpectation {
    static let price = "a price of digits with a point where needed, such as \"0.99\""
    static let duration = "an ISO 8601 duration of one unit, such as \"P1W\", \"P1M\" or \"P1Y\""
    static let paymentMode = "\"free\", \"payAsYouGo\" or \"payUpFront\""
    static let offerIdentifier = "an identifier for the offer"
    static let productType = "\"Consumable\", \"NonConsumable\" or \"NonRenewingSubscription\""

    /// Returns the expected value of a required key.
    static func key(_ name: String) -> String {
        switch name {
        case "displayPrice": price
        case "recurringSubscriptionPeriod", "subscriptionPeriod": duration
        case "paymentMode": paymentMode
        case "offerID", "referenceName": offerIdentifier
        case "type": productType
        case "productID": "a product identifier"
        case "id": "an identifier for the subscription group"
        case "version": "the format's version"
        default: "a value"
        }
    }

    /// Returns a text in quotation marks, truncated where it is long.
    static func quoted(_ text: String) -> String {
        text.count > 60 ? "\"\(text.prefix(60))…\"" : "\"\(text)\""
    }
}
