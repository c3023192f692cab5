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

    init(_ name: String, _ content: String, at path: String, expected: String, found: String) {
        testDescription = name
        self.content = content
        self.path = path
        self.expected = expected
        self.found = found
    }

    /// A file of format 4.0 with one consumable, whose keys are given.
    init(_ name: String, product: String, at key: String, expected: String, found: String) {
        let content = #"{"version": {"major": 4, "minor": 0}, "products": [{\#(product)}]}"#
        self.init(name, content, at: "products[0].\(key)", expected: expected, found: found)
    }

    /// A file of format 4.0 with a second group, whose third subscription has keys as given.
    init(_ name: String, subscription: String, at key: String, expected: String, found: String) {
        let sound = [
            #""productID": "c""#, #""displayPrice": "1""#, #""recurringSubscriptionPeriod": "P1M""#,
        ]
        // No key twice: decoders differ in which one they take.
        let others = sound.filter { !subscription.contains($0.prefix { $0 != ":" }) }
        let given = "{\(([subscription] + others).joined(separator: ", "))}"
        let rest = sound.dropFirst().joined(separator: ", ")
        let content = """
            {"version": {"major": 4, "minor": 0}, "subscriptionGroups": [
              {"id": "one", "name": "One", "subscriptions": []},
              {"id": "two", "subscriptions": [{"productID": "a", \(rest)}, {"productID": "b", \(rest)}, \(given)]}
            ]}
            """
        self.init(
            name,
            content,
            at: "subscriptionGroups[1].subscriptions[2].\(key)",
            expected: expected,
            found: found
        )
    }

    /// A file of format 4.0 without products, whose settings are given.
    init(_ name: String, settings: String, at key: String, expected: String, found: String) {
        let content = #"{"version": {"major": 4}, "settings": {\#(settings)}}"#
        self.init(name, content, at: "settings.\(key)", expected: expected, found: found)
    }

    static let locale = #"a language, with a script or a country where that matters, such as "en_US""#
    static let price = #"a price of digits with a point where needed, such as "0.99""#
    static let duration = #"an ISO 8601 duration of one unit, such as "P1W", "P1M" or "P1Y""#
    static let sound = #""productID": "a", "type": "Consumable", "displayPrice": "1""#

    static let products: [BrokenFile] = [
        .init(
            "no identifier",
            product: #""type": "Consumable", "displayPrice": "1""#,
            at: "productID",
            expected: "a product identifier",
            found: "nothing"
        ),
        .init(
            "an empty identifier",
            product: #""productID": "", "type": "Consumable", "displayPrice": "1""#,
            at: "productID",
            expected: "a product identifier",
            found: #""""#
        ),
        .init(
            "a number for an identifier",
            product: #""productID": 7, "type": "Consumable", "displayPrice": "1""#,
            at: "productID",
            expected: "a text",
            found: "7"
        ),
        .init(
            "null for an identifier",
            product: #""productID": null, "type": "Consumable", "displayPrice": "1""#,
            at: "productID",
            expected: "a text",
            found: "null"
        ),
        .init(
            "no type",
            product: #""productID": "a", "displayPrice": "1""#,
            at: "type",
            expected: #""Consumable", "NonConsumable" or "NonRenewingSubscription""#,
            found: "nothing"
        ),
        .init(
            "an unknown type",
            product: #""productID": "a", "type": "Rental", "displayPrice": "1""#,
            at: "type",
            expected: #""Consumable", "NonConsumable" or "NonRenewingSubscription""#,
            found: #""Rental""#
        ),
        .init(
            "a subscription outside a group",
            product: #""productID": "a", "type": "RecurringSubscription", "displayPrice": "1""#,
            at: "type",
            expected: #""Consumable", "NonConsumable" or "NonRenewingSubscription""#,
            found: #""RecurringSubscription""#
        ),
        .init(
            "no price",
            product: #""productID": "a", "type": "Consumable""#,
            at: "displayPrice",
            expected: price,
            found: "nothing"
        ),
        .init(
            "a number for a price",
            product: #""productID": "a", "type": "Consumable", "displayPrice": 0.99"#,
            at: "displayPrice",
            expected: "a text",
            found: "0.99"
        ),
        .init(
            "a list for a price",
            product: #""productID": "a", "type": "Consumable", "displayPrice": ["1"]"#,
            at: "displayPrice",
            expected: "a text",
            found: "a list"
        ),
        .init(
            "a price in words",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "free""#,
            at: "displayPrice",
            expected: price,
            found: #""free""#
        ),
        .init(
            "a price with a currency",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "$0.99""#,
            at: "displayPrice",
            expected: price,
            found: #""$0.99""#
        ),
        .init(
            "a price with a comma",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "0,99""#,
            at: "displayPrice",
            expected: price,
            found: #""0,99""#
        ),
        .init(
            "a price that ends in a point",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "1.""#,
            at: "displayPrice",
            expected: price,
            found: #""1.""#
        ),
        .init(
            "a price with a tail",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "0.99 or so""#,
            at: "displayPrice",
            expected: price,
            found: #""0.99 or so""#
        ),
        .init(
            "a negative price",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "-0.99""#,
            at: "displayPrice",
            expected: "a price of at least 0",
            found: #""-0.99""#
        ),
        .init(
            "an endless price",
            product: #""productID": "a", "type": "Consumable", "displayPrice": "0.1234567890123456789""#,
            at: "displayPrice",
            expected: "a price of at most 18 digits",
            found: #""0.1234567890123456789""#
        ),
        .init(
            "a number for family sharing",
            product: sound + #", "familyShareable": 1"#,
            at: "familyShareable",
            expected: "true or false",
            found: "1"
        ),
        .init(
            "one localization without its list",
            product: sound + #", "localizations": {"locale": "en_US"}"#,
            at: "localizations",
            expected: "a list",
            found: "an object"
        ),
        .init(
            "a truth value for a title",
            product: sound + #", "localizations": [{"displayName": true}]"#,
            at: "localizations[0].displayName",
            expected: "a text",
            found: "true"
        ),
    ]

    static let rest: [BrokenFile] = [
        .init(
            "an identifier twice in a list",
            #"{"version": {"major": 4}, "products": [{\#(sound)}, {\#(sound)}]}"#,
            at: "products[1].productID",
            expected: "an identifier of its own",
            found: #""a", which products[0] has too"#
        ),
        .init(
            "an identifier twice in different lists",
            #"{"version": {"major": 4}, "products": [{\#(sound)}], "nonRenewingSubscriptions": [{"productID": "b", "displayPrice": "1"}], "subscriptionGroups": [{"id": "g"}, {"id": "h", "subscriptions": [{"productID": "c", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}, {"productID": "b", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}]}]}"#,
            at: "subscriptionGroups[1].subscriptions[1].productID",
            expected: "an identifier of its own",
            found: #""b", which nonRenewingSubscriptions[0] has too"#
        ),
        .init(
            "an identifier twice in groups",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"id": "g"}, {"id": "h", "subscriptions": [{"productID": "c", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}, {"productID": "c", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}]}]}"#,
            at: "subscriptionGroups[1].subscriptions[1].productID",
            expected: "an identifier of its own",
            found: #""c", which subscriptionGroups[1].subscriptions[0] has too"#
        ),
        .init(
            "a group without an identifier",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"name": "Pro"}]}"#,
            at: "subscriptionGroups[0].id",
            expected: "an identifier for the subscription group",
            found: "nothing"
        ),
        .init(
            "a group with an empty identifier",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"id": ""}]}"#,
            at: "subscriptionGroups[0].id",
            expected: "an identifier for the subscription group",
            found: #""""#
        ),
        .init(
            "a country that is none",
            #"{"version": {"major": 4}, "settings": {"_storefront": "US"}}"#,
            at: "settings._storefront",
            expected: #"a country in ISO 3166-1 alpha-3, such as "USA""#,
            found: #""US""#
        ),
        .init(
            "an identifier of a group twice",
            #"{"version": {"major": 4}, "subscriptionGroups": [{"id": "g"}, {"id": "h"}, {"id": "g"}]}"#,
            at: "subscriptionGroups[2].id",
            expected: "an identifier of its own",
            found: #""g", which subscriptionGroups[0] has too"#
        ),
        .init(
            "a language that is none",
            settings: #""_locale": "nonsense""#,
            at: "_locale",
            expected: locale,
            found: #""nonsense""#
        ),
        .init(
            "a language of no country",
            settings: #""_locale": "en_XX""#,
            at: "_locale",
            expected: locale,
            found: #""en_XX""#
        ),
        .init("an empty language", settings: #""_locale": """#, at: "_locale", expected: locale, found: #""""#),
        .init(
            "a rate that nobody knows",
            settings: #""_timeRate": 77"#,
            at: "_timeRate",
            expected: "the number of one of Xcode's renewal rates",
            found: "77"
        ),
        .init(
            "a rate that nobody knows, with another one in its place",
            settings: #""_timeRate": 77, "_compatibilityTimeRate": {"3": 78}"#,
            at: "_timeRate",
            expected: "the number of one of Xcode's renewal rates",
            found: "77"
        ),
        .init(
            "an error that Store Kit does not have",
            settings: #""_storeKitError": 4711"#,
            at: "_storeKitError",
            expected: "the number of one of Store Kit's errors, at most 20",
            found: "4711"
        ),
        .init(
            "a negative error",
            settings: #""_storeKitError": -1"#,
            at: "_storeKitError",
            expected: "a whole number from 0",
            found: "-1"
        ),
        .init(
            "a negative rate",
            #"{"version": {"major": 4}, "settings": {"_timeRate": -1}}"#,
            at: "settings._timeRate",
            expected: "a whole number from 0",
            found: "-1"
        ),
        .init(
            "a text for a switch",
            #"{"version": {"major": 4}, "settings": {"_askToBuyEnabled": "yes"}}"#,
            at: "settings._askToBuyEnabled",
            expected: "true or false",
            found: #""yes""#
        ),
        .init(
            "a key that is none",
            #"{"version": {"major": 4}, "subscriptionOffersKeyPair": {"id": "A", "privateKey": "§secret§"}}"#,
            at: "subscriptionOffersKeyPair.privateKey",
            expected: "a key in base 64",
            found: "a text that is none"
        ),
    ]
}
