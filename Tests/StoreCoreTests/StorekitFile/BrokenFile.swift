import Foundation
import StoreCore
import Testing

/// A file with one thing wrong, and the error that names it.
struct BrokenFile: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var content: String
    var path: String
    var expected: String
    var found: String

    init(_ name: String, _ content: String, at path: String = "", _ expected: String, _ found: String) {
        testDescription = name
        self.content = content
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// A file of format 4.0 with one consumable, a key of which has another value, or none.
    init(
        _ name: String,
        product key: String,
        _ value: String?,
        _ expected: String,
        _ found: String? = nil,
        at path: String? = nil
    ) {
        let product = Self.object(["productID": "a", "type": "Consumable", "displayPrice": "1"], key, value)
        let content = #"{"version": {"major": 4, "minor": 0}, "products": [\#(product)]}"#
        self.init(name, content, at: "products[0].\(path ?? key)", expected, found ?? value ?? "nothing")
    }

    /// A file of format 4.0 with a second group, a key of whose third subscription has another value.
    init(
        _ name: String,
        subscription key: String,
        _ value: String,
        _ expected: String,
        _ found: String? = nil,
        at path: String? = nil
    ) {
        let sound = ["displayPrice": "1", "recurringSubscriptionPeriod": "P1M"]
        func subscription(_ identifier: String, _ key: String? = nil, _ value: String? = nil) -> String {
            Self.object(sound.merging(["productID": identifier]) { $1 }, key, value)
        }
        let first = ["a", "b"].map { subscription($0) }.joined(separator: ", ")
        let content = """
            {"version": {"major": 4, "minor": 0}, "subscriptionGroups": [
                    {"id": "one", "name": "One", "subscriptions": []},
                    {"id": "two", "subscriptions": [\(first), \(subscription("c", key, value))]}
            ]}
            """
        let place = "subscriptionGroups[1].subscriptions[2].\(path ?? key)"
        self.init(name, content, at: place, expected, found ?? value)
    }

    /// The same, where an object in the subscription, such as `introductoryOffer` or `adHocOffers[0]`, has these members.
    init(
        _ name: String,
        in place: String,
        _ members: String,
        at key: String,
        _ expected: String,
        _ found: String = "nothing"
    ) {
        let list = place.hasSuffix("[0]") ? String(place.dropLast(3)) : nil
        let value = list == nil ? "{\(members)}" : "[{\(members)}]"
        self.init(name, subscription: list ?? place, value, expected, found, at: "\(place).\(key)")
    }

    /// A file of format 4.0 without products, a setting of which has a value.
    init(_ name: String, setting key: String, _ value: String, _ expected: String, more: String = "") {
        let content = #"{"version": {"major": 4}, "settings": {"\#(key)": \#(value)\#(more)}}"#
        self.init(name, content, at: "settings.\(key)", expected, value)
    }

    /// Returns an object of texts, where a key may have another value, or none.
    private static func object(_ texts: [String: String], _ key: String?, _ value: String?) -> String {
        var members = texts.mapValues { "\"\($0)\"" }
        if let key { members[key] = value }
        return "{\(members.map { "\"\($0)\": \($1)" }.sorted().joined(separator: ", "))}"
    }

    static let price = #"a price of digits with a point where needed, such as "0.99""#
    static let sound = #""productID": "a", "type": "Consumable", "displayPrice": "1""#
    private static let identifier = "a product identifier"
    private static let kind = #""Consumable", "NonConsumable" or "NonRenewingSubscription""#

    static let products: [BrokenFile] = [
        .init("no identifier", product: "productID", nil, identifier),
        .init("an empty identifier", product: "productID", #""""#, identifier),
        .init("a number for an identifier", product: "productID", "7", "a text"),
        .init("null for an identifier", product: "productID", "null", "a text"),
        .init("no type", product: "type", nil, kind),
        .init("an unknown type", product: "type", #""Rental""#, kind),
        .init("a subscription outside a group", product: "type", #""RecurringSubscription""#, kind),
        .init("no price", product: "displayPrice", nil, price),
        .init("a number for a price", product: "displayPrice", "0.99", "a text"),
        .init("a list for a price", product: "displayPrice", #"["1"]"#, "a text", "a list"),
        .init("a price in words", product: "displayPrice", #""free""#, price),
        .init("a price with a currency", product: "displayPrice", #""$0.99""#, price),
        .init("a price with a comma", product: "displayPrice", #""0,99""#, price),
        .init("a price that ends in a point", product: "displayPrice", #""1.""#, price),
        .init("a price with a tail", product: "displayPrice", #""0.99 or so""#, price),
        .init("a negative price", product: "displayPrice", #""-0.99""#, "a price of at least 0"),
        .init("an endless price", product: "displayPrice", #""0.1234567890123456789""#, "a price of at most 18 digits"),
        .init("a number for family sharing", product: "familyShareable", "1", "true or false"),
        .init(
            "one localization without its list",
            product: "localizations",
            #"{"locale": "en_US"}"#,
            "a list",
            "an object"
        ),
        .init(
            "a truth value for a title",
            product: "localizations",
            #"[{"displayName": true}]"#,
            "a text",
            "true",
            at: "localizations[0].displayName"
        ),
    ]

    private static let own = "an identifier of its own"
    private static let group = "an identifier for the subscription group"
    private static let locale = #"a language, with a script or a country where that matters, such as "en_US""#
    private static let rate = "the number of one of Xcode's renewal rates"
    private static let natural = "a whole number from 0"

    static let rest: [BrokenFile] = [
        .init(
            "an identifier twice in a list",
            #"{"version": {"major": 4}, "products": [{\#(sound)}, {\#(sound)}]}"#,
            at: "products[1].productID",
            own,
            #""a", which products[0] has too"#
        ),
        .init(
            "an identifier twice in different lists",
            #"{"version": {"major": 4}, "products": [{\#(sound)}], "nonRenewingSubscriptions": [{"productID": "b", "displayPrice": "1"}], "subscriptionGroups": [{"id": "g"}, {"id": "h", "subscriptions": [{"productID": "c", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}, {"productID": "b", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}]}]}"#,
            at: "subscriptionGroups[1].subscriptions[1].productID",
            own,
            #""b", which nonRenewingSubscriptions[0] has too"#
        ),
        .init(
            "an identifier twice in groups",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"id": "g"}, {"id": "h", "subscriptions": [{"productID": "c", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}, {"productID": "c", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}]}]}"#,
            at: "subscriptionGroups[1].subscriptions[1].productID",
            own,
            #""c", which subscriptionGroups[1].subscriptions[0] has too"#
        ),
        .init(
            "a group without an identifier",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"name": "Pro"}]}"#,
            at: "subscriptionGroups[0].id",
            group,
            "nothing"
        ),
        .init(
            "a group with an empty identifier",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"id": ""}]}"#,
            at: "subscriptionGroups[0].id",
            group,
            #""""#
        ),
        .init(
            "an identifier of a group twice",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"id": "g"}, {"id": "h"}, {"id": "g"}]}"#,
            at: "subscriptionGroups[2].id",
            own,
            #""g", which subscriptionGroups[0] has too"#
        ),
        .init(
            "a country that is none",
            setting: "_storefront",
            #""US""#,
            #"a country in ISO 3166-1 alpha-3, such as "USA""#
        ),
        .init("a language that is none", setting: "_locale", #""nonsense""#, locale),
        .init("a language of no country", setting: "_locale", #""en_XX""#, locale),
        .init("an empty language", setting: "_locale", #""""#, locale),
        .init("a rate that nobody knows", setting: "_timeRate", "77", rate),
        .init(
            "a rate that nobody knows, with another one in its place",
            setting: "_timeRate",
            "77",
            rate,
            more: #", "_compatibilityTimeRate": {"3": 78}"#
        ),
        .init(
            "an error that Store Kit does not have",
            setting: "_storeKitError",
            "4711",
            "the number of one of Store Kit's errors, at most 20"
        ),
        .init("a negative error", setting: "_storeKitError", "-1", natural),
        .init("a negative rate", setting: "_timeRate", "-1", natural),
        .init("a text for a switch", setting: "_askToBuyEnabled", #""yes""#, "true or false"),
        .init(
            "a key that is none",
            #"{"version": {"major": 4}, "subscriptionOffersKeyPair": {"id": "A", "privateKey": "§secret§"}}"#,
            at: "subscriptionOffersKeyPair.privateKey",
            "a key in base 64",
            "a text that is none"
        ),
    ]
}
