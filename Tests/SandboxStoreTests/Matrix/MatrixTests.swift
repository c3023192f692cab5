import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

@testable import sandbox_store

/// What a server makes of the same purchases in each form.
@MainActor
@Suite(.enabled(if: MicroHTTPD.isAvailable && Libcrypto.isAvailable, "a library is missing"))
struct MatrixTests {
    private let directory: Directory
    private let shop: String

    init() throws {
        directory = try Directory()
        shop = try directory.write("Shop.storekit", Self.shop)
    }

    private func ask(_ server: any AskableServer, _ more: String...) -> (code: Int32, text: String) {
        // A server that is released stops.
        withExtendedLifetime(server) {
            // A machine may be slow; only a server that never answers has a limit of its own.
            let limit = more.contains("--timeout") ? [] : ["--timeout", "600"]
            let run = Run(["matrix", server.url, "--storekit", shop] + limit + more)
            #expect(run.complaints.isEmpty, "\(run.complaints)")
            // Behind the addresses.
            let parts = run.output.components(separatedBy: "\n\n")
            return (run.code, more.contains("--json") ? run.output : parts.dropFirst().joined(separator: "\n\n"))
        }
    }

    /// Returns the lines that contain a text.
    private func lines(of text: String, with word: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { $0.contains(word) }
    }

    @Test func `A right server makes the same of each form, and the table fits 80 columns`() throws {
        let server = try AskedServer()
        let (code, text) = ask(server)
        let table = """
                                    before release    after release
                                    Sandbox           Sandbox           Production
            castle (non-consumable)
              transactionReceipt    accepted          accepted          accepted
              appReceipt            accepted          accepted          accepted
              jws                   accepted          accepted          accepted
              transactionId         accepted          accepted          accepted
              notification          accepted          accepted          accepted
            pro.monthly (subscription)
              transactionReceipt    accepted          accepted          accepted
              appReceipt            accepted          accepted          accepted
              jws                   accepted          accepted          accepted
              transactionId         accepted          accepted          accepted
              notification          accepted          accepted          accepted

            30 of 30 answers agree with the purchase

            """
        #expect(code == 0 && text == table, "\(text)")
        let questions = server.questions.withLock { $0 }
        #expect(questions.count == 30)
        let identifiers = questions.filter { $0["form"] == "transactionId" }
        let sandbox = Set(identifiers.filter { $0["environment"] == "Sandbox" }.compactMap { $0["value"] })
        let production = Set(identifiers.filter { $0["environment"] == "Production" }.compactMap { $0["value"] })
        #expect(sandbox.count == 2 && production.count == 2 && sandbox.isDisjoint(with: production))
    }

    @Test func `A server that gives up after 401 crashes before the release, and not after it`() throws {
        let (code, text) = ask(try AskedServer(.givesUpAfter401))
        #expect(code == 1)
        let row = "  transactionId         crashed 500       accepted          accepted"
        #expect(lines(of: text, with: "  transactionId ") == [row, row])
        #expect(text.contains("castle, transactionId, Sandbox before the release: crashed 500\n"))
        #expect(text.hasSuffix("\n28 of 30 answers agree with the purchase\n"))
    }

    @Test func `A server that knows the sandbox only refuses what production has`() throws {
        let (code, text) = ask(try AskedServer(.knowsOnlyTheSandbox), "--forms", "transactionId,jws")
        #expect(code == 1)
        let row = "  transactionId         accepted          accepted          refused 404"
        #expect(lines(of: text, with: "  transactionId ") == [row, row])
        #expect(lines(of: text, with: "  jws ").allSatisfy { $0.hasSuffix("accepted          accepted") })
        #expect(!text.contains("Receipt") && text.hasSuffix("\n10 of 12 answers agree with the purchase\n"))
    }

    @Test func `Answers that differ are told with what was bought`() throws {
        let (code, text) = ask(try AskedServer(.misreadsReceipts), "--forms", "appReceipt,jws")
        #expect(code == 1)
        let rows = lines(of: text, with: "  appReceipt ")
        #expect(rows[0].hasSuffix("accepted          accepted          accepted"))
        #expect(rows[1] == "  appReceipt            differs           differs           differs")
        // Wrapped to 80 columns.
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(#/pro\.monthly, appReceipt, Production: expires \d{16}, not 20\d\d-\d\d-\d\dT[\d:]+Z/#))
    }

    @Test func `With --json each answer is an object`() throws {
        let (code, text) = ask(try AskedServer(.givesUpAfter401), "--json", "--forms", "transactionId")
        #expect(code == 1)
        let cells = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(cells.count == 6)
        let first = try #require(cells.first)
        #expect(first["purchase"] as? String == "castle" && first["form"] as? String == "transactionId")
        #expect(first["isReleased"] as? Bool == false && first["environment"] as? String == "Sandbox")
        #expect(first["outcome"] as? String == "crashed" && first["status"] as? Int == 500)
        #expect(cells.map { $0["agrees"] as? Bool } == [false, false, true, true, true, true])
    }

    @Test func `An answer that is no object, a broken connection and silence are crashes`() throws {
        let text = ask(try AskedServer(.answersText), "--forms", "jws")
        #expect(text.code == 1 && text.text.contains("crashed 200: the answer is not an object of JSON"))
        let broken = ask(try WordlessServer(closes: true), "--forms", "jws")
        #expect(broken.code == 1 && broken.text.contains("crashed: the connection was broken"))
        let silent = ask(try WordlessServer(closes: false), "--forms", "jws", "--timeout", "0.1")
        #expect(silent.code == 1 && silent.text.contains("crashed: no answer"))
    }

    @Test func `Where no server listens, one sentence says so, and the folder is there for it`() throws {
        let keys = directory.url.appending(path: "keys").path(percentEncoded: false)
        let url = try WordlessServer(closes: true).url
        let run = Run("matrix", url, "--storekit", shop, "--ca", keys)
        #expect(run.code == 1 && run.complaints.contains("no server answers at \(url): start yours"))
        #expect(run.output.contains("root        \(keys)/root.pem\n"))
        let names = try FileManager.default.contentsOfDirectory(atPath: keys)
        #expect(names.contains("root.pem") && names.contains("issuer.txt"))
        // The same root and key the next time.
        #expect(ask(try AskedServer(), "--ca", keys, "--forms", "jws,transactionId").code == 0)
    }

    @Test(arguments: [
        (["matrix"], "needs a URL"),
        (["matrix", "ftp://a"], "is not a URL"),
        (["matrix", "http://a", "--forms", "jws,receipt"], "--forms needs some of transactionReceipt"),
        (["matrix", "http://a", "--serve-port", "65535"], "--serve-port needs"),
        (["matrix", "http://a", "--timeout", "0"], "--timeout needs a number from 0.1"),
    ])
    func `A command line that makes no sense asks nobody`(arguments: [String], sentence: String) {
        let run = Run(arguments)
        #expect(run.code == 2 && run.complaints.contains(sentence), "\(run.complaints)")
    }

    @Test func `A file without a product that stays is refused`() throws {
        let file = try directory.write("Empty.storekit", #"{"version": {"major": 3, "minor": 0}, "products": []}"#)
        let run = Run("matrix", "http://127.0.0.1:1/", "--storekit", file)
        #expect(run.code == 1 && run.complaints.contains("Empty.storekit sells neither a non-consumable nor"))
    }

    // MARK: The future

    @Test func `A right server accepts what is new and refuses what is wrong`() throws {
        let (code, text) = ask(try AskedServer(), "--future")
        let table = """
                                                        expected    got
            Notifications
              an unknown type                           accepted    accepted
              an unknown subtype                        accepted    accepted
              unknown fields                            accepted    accepted
              an unknown status of a subscription       accepted    accepted
              a transaction of an unknown type          accepted    accepted
              an unknown reason to request a refund     accepted    accepted
              an unknown environment                    refused     refused 403
              another app's                             refused     refused 403
              externalPurchaseToken without data        accepted    accepted
              summary without data                      accepted    accepted
              appData without data                      accepted    accepted
              an unknown object in place of data        either      accepted
            Transactions as JWS
              an unknown type                           accepted    accepted
              an unknown type of offer                  accepted    accepted
              an unknown discount                       accepted    accepted
              an unknown reason                         accepted    accepted
              an unknown ownership                      accepted    accepted
              unknown fields                            accepted    accepted
              an unknown product                        either      accepted
              revoked for an unknown reason             either      accepted
              an unknown environment                    refused     refused 403
              another app's                             refused     refused 403
              signed by Xcode                           refused     refused 403
            Certificates of a JWS
              a new leaf                                accepted    accepted
              a new intermediate                        accepted    accepted
              a leaf whose OCSP responder is silent     either      accepted
              an expired leaf                           refused     refused 403
              a leaf without the App Store's marker     refused     refused 403
              an intermediate without the marker        refused     refused 403
              another root of the same name             refused     refused 403
              a leaf without its issuers                refused     refused 403
              a second intermediate                     refused     refused 403
              another key than the leaf's               refused     refused 403
              a revoked leaf                            either      accepted
            Certificates of an app receipt
              a new leaf                                accepted    accepted
              an expired leaf                           refused     refused 403
              a leaf without the App Store's marker     refused     refused 403
              an intermediate without the marker        refused     refused 403
              another root of the same name             refused     refused 403
              a leaf without its issuers                refused     refused 403
              a second intermediate                     refused     refused 403
              another key than the leaf's               refused     refused 403
              a revoked leaf                            either      refused 403

            43 of 43 answers are as expected

            """
        #expect(code == 0 && text == table, "\(text)")
    }

    @Test func `A server that knows today's types only crashes on others`() throws {
        let (code, text) = ask(try AskedServer(.crashesOnUnknownTypes), "--future", "--forms", "jws,notification")
        #expect(code == 1)
        let crash = "! an unknown type                           accepted    crashed 500"
        #expect(lines(of: text, with: "! an unknown type  ") == [crash, crash])
        #expect(lines(of: text, with: "! ").allSatisfy { $0.hasSuffix("crashed 500") })
        #expect(!text.contains("app receipt"))
    }

    @Test func `A server that takes any root for Apple's accepts what somebody else signed`() throws {
        let (code, text) = ask(try AskedServer(.trustsEveryRoot), "--future", "--forms", "jws")
        #expect(code == 1)
        let wrong = lines(of: text, with: "! ")
        #expect(wrong.contains("! another root of the same name             refused     accepted"))
        #expect(wrong.allSatisfy { $0.hasSuffix("refused     accepted") })
    }

    @Test func `With --json each case of the future is an object`() throws {
        let (code, text) = ask(try AskedServer(.trustsEveryRoot), "--future", "--json", "--forms", "jws")
        #expect(code == 1)
        let rows = try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let row = try #require(rows.first { $0["name"] as? String == "another root of the same name" })
        #expect(row["expected"] as? String == "refused" && row["outcome"] as? String == "accepted")
        #expect(row["isExpected"] as? Bool == false)
    }

    /// A file that sells a castle for 9.99, and a monthly subscription for 4.99.
    private static let shop = """
        {
          "identifier" : "5A1F0D3C", "nonRenewingSubscriptions" : [], "settings" : {},
          "products" : [ {
            "displayPrice" : "9.99", "familyShareable" : false, "internalID" : "7A8B9C0D", "localizations" : [],
            "productID" : "castle", "referenceName" : "Castle", "type" : "NonConsumable"
          } ],
          "subscriptionGroups" : [ {
            "id" : "1B2C3D4E", "localizations" : [], "name" : "Pro",
            "subscriptions" : [ {
              "adHocOffers" : [], "codeOffers" : [], "displayPrice" : "4.99", "familyShareable" : false,
              "groupNumber" : 1, "internalID" : "6F7A8B9C", "introductoryOffer" : null, "localizations" : [],
              "productID" : "pro.monthly", "recurringSubscriptionPeriod" : "P1M", "referenceName" : "Pro, monthly",
              "subscriptionGroupID" : "1B2C3D4E", "type" : "RecurringSubscription"
            } ]
          } ],
          "version" : { "major" : 3, "minor" : 0 }
        }
        """
}
