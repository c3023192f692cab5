import Foundation
import StoreCore
import StoreScenario
import Testing

@Suite struct EveryCommandTests {
    /// A line, and something that is in its answer.
    static let lines: [(line: String, answer: String)] = [
        ("status", "2025-01-01T00:00:00Z"),
        ("products", "pro.monthly"),
        ("help", "buy PRODUCT"),
        ("help refund", "refund [TRANSACTION]"),
        // Purchases.
        ("buy sword --quantity 3 --user anna", "ordered: #1 3 × sword: purchased"),
        ("receipt 1", "ewo"),
        ("receipt 1 --jws", "."),
        ("finish", "finished: #1 3 × sword: purchased, finished"),
        ("authorizer cancel", "cancel"),
        ("buy sword", "#2 sword: failed, paymentCancelled"),
        ("authorizer later", "later"),
        ("buy sword", "#3 sword: purchasing"),
        ("undecided", "sword"),
        ("cancel", "#3 sword: failed"),
        ("authorizer approve", "approve"),
        ("payments-allowed off", "not allowed on device"),
        ("buy sword", "paymentNotAllowed"),
        ("payments-allowed on", "allowed on device"),
        ("purchase-failure cloudServiceRevoked", "cloudServiceRevoked"),
        ("buy sword", "cloudServiceRevoked"),
        ("purchase-failure off", "off"),
        ("availability sword withdrawn", "withdrawn"),
        ("buy sword", "#6 sword: failed, paymentInvalid"),
        ("availability sword propagating --for 1d", "propagating"),
        ("products", "before 2025-01-02"),
        ("availability sword on-sale", "on-sale"),
        ("ask-to-buy on", "has to ask"),
        ("buy sword", "#7 sword: deferred"),
        ("approve 7", "#7 sword: purchased"),
        ("buy sword", "#8 sword: deferred"),
        ("decline --failure paymentNotAllowed", "#8 sword: failed"),
        ("ask-to-buy off", "need not ask"),
        ("buy sword --ask", "#9 sword: deferred"),
        ("approve first", "#9 sword: purchased"),
        ("interrupts-purchases on", "interrupted"),
        ("buy game", "#10 game: failed"),
        ("issues", "game"),
        ("interrupts-purchases off", "not interrupted"),
        ("resolve", "resolved #10"),
        ("buy sword --outcome cancel", "#12 sword: failed, paymentCancelled"),
        ("promote sword", "sword was tapped on device"),
        (
            "open-link \"itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=sword\"",
            "opened"
        ),
        ("finish all", "finished"),
        ("unfinished", "nothing is unfinished"),
        ("restore", "game"),
        ("entitlements", "game"),
        // Subscriptions.
        ("buy pro.monthly --offer winter", "ineligibleForOffer"),
        ("buy pro.monthly", "pro.monthly: purchased"),
        ("subscriptions", "subscribed"),
        ("view-cancellation", "pro: no message"),
        (
            "retention-message 00000000-0000-4000-8000-000000000001 Stay \"It goes on.\" --default-for pro.monthly --locale en-US",
            "the message 00000000-0000-4000-8000-000000000001, by default for pro.monthly in en-US"
        ),
        ("retention-message 00000000-0000-4000-8000-000000000002 Go \"\"", "-000000000002"),
        ("try retention-message x Go \"\"", "is not a UUID"),
        ("view-cancellation --locale en-US", "pro: \"Stay\" \"It goes on.\", the default message"),
        ("retention-url https://example.com/message", "messages are chosen at https://example.com/message"),
        ("view-cancellation pro --locale en-US", "is not shown: no StoreServer is open"),
        ("try view-cancellation --then accept", "offers neither another product nor an offer"),
        ("retention-url off", "no server chooses messages"),
        ("review-message 00000000-0000-4000-8000-000000000001 rejected", "is REJECTED"),
        ("retention-messages", "REJECTED"),
        ("view-cancellation --then cancel", "pro: no message; canceled"),
        ("try view-cancellation", "there is nothing to cancel"),
        ("auto-renew on pro", "pro renews"),
        ("advance 1mo", "it is 2025-02-01T00:00:00Z"),
        ("advance-to 2025-02-15T00:00:00Z", "it is 2025-02-15T00:00:00Z"),
        ("advance-to-end pro", "it is 2025-03-01T00:00:00Z"),
        ("try clock running", "this store's clock moves by commands only"),
        ("renewal-rate month-5min", "month-5min"),
        ("auto-renew off", "pro does not renew"),
        ("auto-renew on pro", "pro renews"),
        ("renew", "pro: renewed"),
        ("renewal-rate real-time", "real-time"),
        ("renew pro", "pro: renewed"),
        ("grace-period on", "grants a grace period"),
        ("billing-fails on", "cannot be paid for"),
        ("advance-to-end", "it is 2025-04-01T00:00:00Z"),
        ("subscriptions", "inGracePeriod"),
        ("resolve-billing", "pro: paid for"),
        ("billing-fails off", "can be paid for"),
        ("raise-price pro.monthly 5.99", "costs 5.99"),
        ("subscriptions", "pending"),
        ("answer-consent agree", "pro: agree"),
        ("consent-sheet decline", "decline"),
        ("request-consent", "pro: asked for consent"),
        ("answer-consent decline pro", "pro: decline"),
        ("renewal-limit 12", "12"),
        ("status", "renewalLimit     12"),
        ("expire", "pro: expired"),
        ("advance 60d", "it is"),
        ("win-back come.back pro.monthly", "won back: #"),
        ("expire pro", "pro: expired"),
        ("redeem FRIENDS --product pro.monthly", "redeemed: #"),
        ("expire pro", "pro: expired"),
        ("code-entry cancel", "cancel"),
        ("code-sheet", "the sheet for codes was canceled on device"),
        ("code-entry SWORDS", "SWORDS"),
        ("code-sheet", "sword: purchased"),
        ("transactions --product sword", "sword"),
        // Refunds and receipts.
        ("refund 1", "refunded: #1 3 × sword: purchased, cancelled"),
        ("reverse-refund", "charged again: #1"),
        ("refund 1 --percentage 50 --app-issue", "refunded: #1"),
        ("timeline", "50% of the price"),
        ("reverse-refund", "charged again: #1"),
        ("refund-decision follow-server", "follow-server"),
        ("refund-decision ask", "ask"),
        ("request-refund 1 --reason unintended-purchase", "requested: #1"),
        ("refund-requests", "1"),
        ("decline-refund", "not refunded: #1"),
        ("order-id 1", ""),
        ("consumption-reports", "no reports"),
        ("external-tokens", "no tokens"),
        ("external-purchases on --link https://example.com/buy --lifetime 2h", "may sell outside"),
        ("external-notice cancel", "the user of device chooses to cancel"),
        ("external-notice continue", "the user of device chooses to continue"),
        ("external-token SERVICES", "eyJ"),
        ("external-tokens", "SERVICES"),
        ("timeline", "a token of the type SERVICES"),
        ("external-reports", "no reports"),
        ("payment-binding bound", "payment methods: bound"),
        ("external-purchases off", "does not sell outside"),
        ("refresh-receipt --volume", "device has a receipt"),
        ("app-purchase --app-version 3", "everybody bought the app: version 3"),
        (
            "app-purchase --app-version 2.1 --date 2019-05-01T00:00:00Z --platform macOS --account account",
            "account bought the app: version 2.1, 2019-05-01T00:00:00Z, macOS"
        ),
        ("app-purchase", "everybody bought the app as by default"),
        ("receipt", "MII"),
        ("receipt --jws", "."),
        // People.
        ("add-account bob", "the account bob"),
        ("add-device phone --account bob", "the device phone of bob"),
        ("buy game --account bob", "purchased"),
        ("use --account bob --device phone", "using bob on phone"),
        ("entitlements", "game"),
        ("add-family smiths", "the family smiths"),
        ("join-family smiths --account account", "account is in the family smiths"),
        ("families", "bob, account"),
        ("shares-purchases off", "bob shares nothing"),
        ("leave-family --account account", "account left the family smiths"),
        ("rescind-consent", "bob may not use the app"),
        ("sign-out", "nobody is signed in on phone"),
        ("token phone", ""),
        ("revoke-token phone", "1 token of phone revoked"),
        ("sign-in bob", "bob is signed in on phone"),
        ("storefront DEU", "sells for DEU"),
        ("age-rating 618", "the app's age rating: 618"),
        ("status", "ageRating"),
        ("age-rating none", "the app's age rating: none"),
        ("locale de_DE --device phone", "the language of phone is de_DE"),
        ("accounts", "bob"),
        ("devices", "de_DE"),
        // Failures.
        ("reachable off --device phone", "phone cannot reach the store"),
        ("fail-restores timedOut --after 1", "timedOut"),
        ("download-pace 1000", "1000"),
        ("fail-download level.2 timedOut --after 3", "level.2"),
        ("try spoil drop --of purchases", "no server connects remote devices to this store"), ("faults", "no faults"),
        ("signature invalidSignature", "invalidSignature"),
        ("quirk lists-late=0.5,notifies-twice on", "quirks: lists-late=0.5, notifies-twice"),
        ("quirk lists-late off", "quirks: notifies-twice"),
        ("quirks", "qonversion/qonversion-ios-sdk 739"),
        ("reset", "as at first"),
        ("transactions --account bob --product game", "game"),
        ("timeline 1", "sold"), ("timeline --html", "<!DOCTYPE html>"), ("timeline 1 --svg", "<svg"),
        ("delete 1", "deleted #1"),
        ("clear", "deleted every transaction"),
        ("transactions", "no transactions"), ("notifications", "no notifications"),
    ]

    @Test func `Every command does what it says`() throws {
        let shop = try Shop()
        for (line, answer) in Self.lines {
            do {
                let found = try shop.performer.perform(line)
                #expect(answer.isEmpty ? !found.text.isEmpty : found.text.contains(answer), "\(line): \(found)")
                let json = try JSONSerialization.jsonObject(with: Data(found.json.utf8))
                #expect(json is [Any] || json is [String: Any], "\(line)")
            } catch {
                Issue.record("\(line): \(error)")
            }
        }
        let performed = try Set(Self.lines.map { try ScenarioStep($0.line).command.name })
        #expect(performed.symmetricDifference(ScenarioCommand.all.map(\.name)).isEmpty)
    }

    @Test func `Names of commands, parameters and options are unique`() {
        #expect(Set(ScenarioCommand.all.map(\.name)).count == ScenarioCommand.all.count)
        for command in ScenarioCommand.all {
            let names = command.parameters.map(\.name) + command.options.map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
            #expect(!command.parameters.drop { !$0.isOptional }.contains { !$0.isOptional }, "\(command.name)")
        }
    }

    @Test func `An option with a word has one in every command`() {
        let options = ScenarioCommand.all.flatMap(\.options)
        #expect(
            Set(options.filter { $0.kind == nil }.map(\.name)).isDisjoint(
                with: options.filter { $0.kind != nil }.map(\.name)
            )
        )
    }
}
