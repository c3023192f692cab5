import Foundation
import StoreCore
import Testing

/// The suites and bundles of subscriptions of format 6.
@Suite struct CombinedProductTests {
    private func group(_ product: String, _ type: String, id: String, members: String, period: String = "P1Y") -> String
    {
        """
        {"id": "\(id)", "name": "Group \(id)", "localizations": [], "subscriptions": [
          {"productID": "\(product)", "type": "\(type)", "duration": "\(period)", "displayPrice": "9.99", "members": \(members),
           "isFamilyShareable": true, "groupNumber": 2, "internalID": "1", "introductoryOffers": [],
           "referenceName": "Name", "subscriptionGroupID": "\(id)", "localizations": [{"locale": "en_US", "displayName": "T"}]}]}
        """
    }

    private func file(suites: String = "", bundles: String = "") -> String {
        """
        {"version": {"major": 6, "minor": 3}, "subscriptionGroups": [{"id": "G", "subscriptions": [
           {"productID": "news", "internalID": "77", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M"}]},
          {"id": "H", "subscriptions": [
           {"productID": "music", "displayPrice": "2", "recurringSubscriptionPeriod": "P1M"}]}],
         "subscriptionSuiteGroups": [\(suites)], "subscriptionBundleGroups": [\(bundles)]}
        """
    }

    private func read(_ content: String) throws -> StoreConfiguration {
        try StoreConfiguration(data: Data(content.utf8), name: "f")
    }

    private func error(_ content: String) -> String? {
        do { _ = try read(content) } catch { return "\(error)" }
        return nil
    }

    @Test func `A suite that Xcode wrote is a product`() throws {
        let suite = try #require(try RealFile.load("format-6").products.last)
        #expect(suite.identifier == "com.example.yearly" && suite.kind == .subscriptionSuite)
        #expect(suite.subscription?.period == .init(1, .year) && suite.subscription?.groupIdentifier == "E6F94E48")
        let store = try SandboxStore(try RealFile.load("format-6"))
        try store.account.buy("com.example.yearly")
        #expect(store.account.entitlements.map(\.productIdentifier) == ["com.example.yearly"])
    }

    @Test func `Suites and bundles come after the subscriptions, with their groups`() throws {
        let configuration = try read(
            file(
                suites: group("suite", "SubscriptionSuite", id: "S", members: #"[{"referenceName": "Draw"}, {}]"#),
                bundles: group("bundle", "SubscriptionBundle", id: "B", members: #"["music", {"internalID": "77"}]"#)
            )
        )
        #expect(
            configuration.products.map(\.kind) == [
                .autoRenewable, .autoRenewable, .subscriptionSuite, .subscriptionBundle,
            ]
        )
        #expect(configuration.subscriptionGroups.map(\.identifier) == ["G", "H", "S", "B"])
        #expect(configuration.warnings.isEmpty)
        let (suite, bundle) = (configuration.products[2], configuration.products[3])
        #expect(suite.subscription?.members == ["Draw"] && bundle.subscription?.members == ["music", "news"])
        #expect(bundle.isFamilyShareable && bundle.price == Decimal(string: "9.99"))
        #expect(bundle.subscription?.level == 2 && bundle.subscription?.groupName == "Group B")
        let store = try SandboxStore(configuration)
        try store.account.buy("bundle")
        #expect(store.account.entitlements.map(\.productIdentifier).sorted() == ["bundle", "music", "news"])
    }

    @Test func `Members that the file does not have are left out, and so is a bundle without any`() throws {
        let configuration = try read(
            file(
                bundles: group("b", "SubscriptionBundle", id: "B", members: #"["music", "music", "sports", 1]"#) + ","
                    + group("c", "SubscriptionBundle", id: "C", members: "[]")
            )
        )
        #expect(configuration.products.last?.subscription?.members == ["music"])
        #expect(configuration.products.map(\.identifier) == ["news", "music", "b"])
        let place = "f: subscriptionBundleGroups[0].subscriptions[0].members"
        #expect(
            configuration.warnings.map(\.description) == [
                #"\#(place)[1]: "music" is a member already, and is left out"#,
                #"\#(place)[2]: "sports" is no auto-renewable subscription of this file, and is left out"#,
                "\(place)[3]: the member is no auto-renewable subscription of this file, and is left out",
                #"f: subscriptionBundleGroups[1].subscriptions[0]: "c" is not sold: it has no members of this file"#,
            ]
        )
    }

    @Test func `What is wrong in a suite or a bundle is named with its place`() {
        let place = "subscriptionSuiteGroups[0].subscriptions[0]"
        var suite = group("suite", "RecurringSubscription", id: "S", members: "[]")
        #expect(error(file(suites: suite))?.contains(#"\#(place).type: expected "SubscriptionSuite""#) == true)
        suite = group("suite", "SubscriptionSuite", id: "S", members: "[]", period: "a year")
        #expect(error(file(suites: suite))?.contains("\(place).duration: expected an ISO 8601 duration") == true)
        suite = group("news", "SubscriptionSuite", id: "S", members: "[]")
        let twin = #""news", which subscriptionGroups[0].subscriptions[0] has too"#
        #expect(error(file(suites: suite))?.contains(twin) == true)
        suite = group("suite", "SubscriptionSuite", id: "G", members: "[]")
        #expect(error(file(suites: suite))?.contains(#"found "G", which another group has too"#) == true)
        suite = group("suite", "SubscriptionSuite", id: "S", members: "[]")
        let next = group("suite", "SubscriptionSuite", id: "T", members: "[]")
        #expect(error(file(suites: suite + "," + next))?.contains(#""suite", which \#(place) has too"#) == true)
    }
}
