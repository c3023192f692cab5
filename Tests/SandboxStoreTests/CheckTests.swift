import Foundation
import Testing

@testable import sandbox_store

@MainActor
@Suite struct CheckTests {
    /// Lives as long as the test.
    private let directory: Directory

    init() throws { directory = try Directory() }

    @Test func `What is in every real file`() throws {
        let files = try realFiles()
        let run = Run(["check"] + files)
        let place = URL(filePath: files[0]).deletingLastPathComponent()
        let output = run.output.replacing(place.path + "/", with: "")
        #expect(output == (try golden("check")))
        #expect(run.complaints.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `Every setting that differs from the default is named`() throws {
        let file = try directory.write(
            "Settings.storekit",
            """
            {"version": {"major": 4}, "settings": {
              "_storefront": "JPN", "_locale": "ja", "_timeRate": 77, "_compatibilityTimeRate": 6,
              "_askToBuyEnabled": true, "_billingIssuesEnabled": true, "_renewalBillingIssuesEnabled": true,
              "_billingGracePeriodEnabled": true, "_disableDialogs": true, "_failTransactionsEnabled": true,
              "_storeKitError": 2, "_storeKitErrors": [
                {"name": "Purchase", "enabled": true, "current": {"type": "purchase", "index": 1}},
                {"name": "Load Products", "enabled": true}, {"name": "Verification", "enabled": false}],
              "_applicationInternalID": "123", "_developerTeamID": "ABC", "_lastSynchronizedDate": 0
            }, "subscriptionOffersKeyPair": {"id": "KEY", "privateKey": "c2VjcmV0"}}
            """
        )
        #expect(
            Run("check", file).output == """
                \(file): format 4.0, 0 products
                  storefront JPN, language ja
                  offers key KEY
                  settings:
                    time rate 77 (unknown)
                    time rate for older readers: 6 (a second is a day)
                    Ask to Buy: every purchase waits for approval
                    interrupted purchases
                    billing retry on renewal
                    billing grace period, where renewals go into billing retry
                    no dialogs: purchases go through without asking
                    every purchase fails with SKError 2
                    failure of Purchase: purchase error 1
                    failure of Load Products: no error chosen (not applied yet)
                    synchronised with app 123
                    developer team ABC
                    last synchronised 2001-01-01T00:00:00Z

                """
        )
    }

    @Test func `Broken files are named with the place, and the others are reported all the same`() throws {
        let good = try directory.write(
            "Good.storekit",
            """
            {"version": {"major": 1, "minor": 2}, "settings": {"_storeKitError": 3}, "products": [
              {"productID": "sword", "type": "Consumable", "displayPrice": "0.99"}],
             "subscriptionGroups": [{"id": "G", "name": "Pass"}]}
            """
        )
        let price = try directory.write(
            "Price.storekit",
            #"{"version": {"major": 4}, "products": [{"productID": "a", "type": "Consumable", "displayPrice": "free"}]}"#
        )
        let missing = directory.url.appending(path: "Missing.storekit").path
        let run = Run("check", price, good, missing)
        #expect(
            run.output == """
                \(price): products[0].displayPrice: expected a price of digits with a point where needed, such as \
                "0.99", found "free"
                \(good): format 1.2, 1 product
                  storefront USA, language en_US
                  consumables: 1
                    sword  0.99  no title
                  subscription groups: 1
                    G "Pass": empty
                  settings:
                    failures of purchases, switched off: SKError 3
                there is no file \(missing)

                """
        )
        #expect(run.complaints.isEmpty)
        #expect(run.code == 2)
        let period = try directory.write(
            "Period.storekit",
            """
            {"version": {"major": 4}, "subscriptionGroups": [{"id": "G", "subscriptions": [
              {"productID": "a", "displayPrice": "1", "recurringSubscriptionPeriod": "P999Y"}]}]}
            """
        )
        let unsold = Run("check", period)
        #expect(unsold.code == 1)
        #expect(unsold.output == "\(period): the product \"a\" has a subscription period of more than 100 years\n")
        #expect(Run("check", price, good).code == 1)
        #expect(Run("check", good).code == 0)
    }

    @Test func `The terms of offers that the real files lack`() throws {
        let file = try directory.write(
            "Offers.storekit",
            """
            {"version": {"major": 5}, "products": [
              {"productID": "coins", "type": "Consumable", "displayPrice": "2", "codeOffers": [
                {"referenceName": "Gift", "paymentMode": "free", "eligibility": ["new"]},
                {"referenceName": "Half", "displayPrice": "1"}]}],
             "subscriptionGroups": [{"id": "G", "name": "Pass", "subscriptions": [
              {"productID": "pass", "displayPrice": "9", "recurringSubscriptionPeriod": "P3M", "familyShareable": true,
               "introductoryOffers": [
                 {"paymentMode": "free", "subscriptionPeriod": "P3D"},
                 {"paymentMode": "payAsYouGo", "subscriptionPeriod": "P3M", "numberOfPeriods": 2, "displayPrice": "4",
                  "billingPlanType": "MONTHLY"}],
               "codeOffers": [
                 {"referenceName": "Back", "paymentMode": "free", "subscriptionPeriod": "P1W",
                  "eligibility": ["existing", "expired"]}],
               "winbackOffers": [
                 {"offerID": "w", "referenceName": "W", "paymentMode": "payUpFront", "subscriptionPeriod": "P1Y",
                  "displayPrice": "5", "isEligible": false}]}]}]}
            """
        )
        #expect(
            Run("check", file).output == """
                \(file): format 5.0, 2 products
                  storefront USA, language en_US
                  consumables: 1
                    coins  2  no title
                      code offer Gift: free, for new customers
                      code offer Half: 1, for everybody
                  auto-renewable subscriptions: 1
                    pass  9 every 3 months, level 1  no title  for the family too
                      introductory offer: free for 3 days
                      introductory offer: 4 every 3 months for 6 months, with monthly billing
                      code offer Back: free for 1 week, for existing and expired subscribers
                      win-back offer w "W": 5 for 1 year, nobody is eligible
                  subscription groups: 1
                    G "Pass": pass
                  settings: all as by default

                """
        )
    }

    @Test func `Suites and bundles have their members, and a year its billing plans`() throws {
        let file = try directory.write(
            "Bundles.storekit",
            """
            {"version": {"major": 6, "minor": 3}, "subscriptionGroups": [{"id": "G", "name": "News", "subscriptions": [
              {"productID": "news", "displayPrice": "9", "recurringSubscriptionPeriod": "P1Y", "billingPlans": [
                {"billingPlanType": "BILLED_UPFRONT", "displayPrice": "9", "commitmentDisplayPrice": "9", "isEnabled": true},
                {"billingPlanType": "MONTHLY", "displayPrice": "1", "commitmentDisplayPrice": "12", "isEnabled": true}]}]}],
             "subscriptionSuiteGroups": [{"id": "S", "name": "Studio", "subscriptions": [
              {"productID": "studio", "type": "SubscriptionSuite", "duration": "P1M", "displayPrice": "20",
               "members": [{"referenceName": "Draw"}, {"referenceName": "Paint"}]}]}],
             "subscriptionBundleGroups": [{"id": "B", "name": "All", "subscriptions": [
              {"productID": "all", "type": "SubscriptionBundle", "duration": "P1M", "displayPrice": "5",
               "members": ["news"]}]}]}
            """
        )
        #expect(
            Run("check", file).output == """
                \(file): format 6.3, 3 products
                  storefront USA, language en_US
                  auto-renewable subscriptions: 1
                    news  9 every year, level 1  no title
                      or 1 every month, 12 in all
                  suites of subscriptions: 1
                    studio  20 every month, level 1  no title
                      includes Draw, Paint
                  bundles of subscriptions: 1
                    all  5 every month, level 1  no title
                      includes news
                  subscription groups: 3
                    G "News": news
                    S "Studio": studio
                    B "All": all
                  settings: all as by default

                """
        )
        let json = Run("check", file, "--json").output
        #expect(json.contains(#""monthly":1,"#) && json.contains(#""members":["Draw","Paint"]"#))
        #expect(json.contains(#""members":["news"]"#))
    }
}
