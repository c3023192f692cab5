import Foundation
import StoreCore
import Testing

@testable import sandbox_store

@MainActor
@Suite struct VerifyTests {
    /// Lives as long as the test.
    private let directory: Directory
    private let signer = HMACReceiptSigner(key: Data("the store's key".utf8))
    private let keyFile: String
    private let coins = TransactionReceipt(
        productIdentifier: "coins",
        transactionIdentifier: "7",
        purchaseDate: Date(timeIntervalSince1970: 1_348_191_098.192),
        bundleIdentifier: "com.example.coins",
        bundleVersion: "1.0"
    )

    init() throws {
        directory = try Directory()
        keyFile = try directory.write("key", "the store's key")
    }

    private func write(_ receipt: Data) throws -> String {
        let file = directory.url.appending(path: "receipt")
        try receipt.write(to: file)
        return file.path
    }

    @Test func `A receipt of this key is valid, and told field by field`() throws {
        let run = Run("verify", try write(coins.data(signedBy: signer)), "--key-file", keyFile)
        #expect(
            run.output == """
                status 0
                The store vouches for this receipt.
                bid: com.example.coins
                bvrs: 1.0
                original_purchase_date: 2012-09-21 01:31:38 Etc/GMT
                original_purchase_date_ms: 1348191098192
                original_purchase_date_pst: 2012-09-20 18:31:38 America/Los_Angeles
                original_transaction_id: 7
                product_id: coins
                purchase_date: 2012-09-21 01:31:38 Etc/GMT
                purchase_date_ms: 1348191098192
                purchase_date_pst: 2012-09-20 18:31:38 America/Los_Angeles
                quantity: 1
                transaction_id: 7

                """
        )
        #expect(run.complaints.isEmpty)
        #expect(run.code == 0)
    }

    @Test func `Base64 is as good, with line breaks too`() throws {
        let receipt = try coins.data(signedBy: signer)
        let plain = Run("verify", try write(receipt), "--key-file", keyFile)
        for options in [[], [.lineLength64Characters, .endLineWithLineFeed], .lineLength76Characters]
            as [Data.Base64EncodingOptions]
        {
            let text = receipt.base64EncodedString(options: options) + "\n"
            let run = Run("verify", try write(Data(text.utf8)), "--key-file", keyFile)
            #expect(run.output == plain.output)
            #expect(run.code == 0)
        }
    }

    @Test func `A forged receipt ends with 1 and tells nothing of what it says`() throws {
        let forged = try coins.data(signedBy: HMACReceiptSigner(key: Data("a guess".utf8)))
        let run = Run("verify", try write(forged), "--key-file", keyFile)
        #expect(run.output == "status 21003\nThe receipt's signature is not this store's.\n")
        #expect(run.code == 1)
    }

    @Test func `What is no receipt ends with 1`() throws {
        for content in ["", "receipt", "cmVjZWlwdA==", "MA=="] {
            let run = Run("verify", try write(Data(content.utf8)), "--key-file", keyFile)
            #expect(run.output.hasPrefix("status 21002\n"))
            #expect(run.output.split(separator: "\n").count == 2)
            #expect(run.code == 1)
        }
    }

    @Test func `A subscription that is over ends with 1 and is told all the same`() throws {
        var receipt = coins
        receipt.subscription = TransactionReceipt.Subscription(expirationDate: receipt.purchaseDate + 60)
        let run = Run("verify", try write(receipt.data(signedBy: signer)), "--key-file", keyFile)
        #expect(run.output.hasPrefix("status 21006\nThe subscription's period is over.\nbid: com.example.coins\n"))
        #expect(run.output.contains("\nexpires_date: 1348191158192\n"))
        #expect(run.code == 1)
    }

    @Test func `A user's name stays on its line`() throws {
        var receipt = coins
        receipt.applicationUsername = "é\nproduct_id: castle"
        let run = Run("verify", try write(receipt.data(signedBy: signer)), "--key-file", keyFile)
        #expect(run.output.contains("\napplication_username: \"é\\nproduct_id: castle\"\n"))
    }

    @Test func `An app receipt is told purchase by purchase`() throws {
        let moment = Date(timeIntervalSince1970: 1_735_689_600)
        let receipt = AppReceipt(
            bundleIdentifier: "com.example.coins",
            bundleVersion: "1.2",
            device: Data(count: 16),
            opaqueValue: Data(count: 16),
            creationDate: moment + 5,
            purchases: [
                AppReceipt.Purchase(
                    productIdentifier: "pass",
                    transactionIdentifier: "9",
                    purchaseDate: moment + 1,
                    originalTransactionIdentifier: "8",
                    originalPurchaseDate: moment,
                    kind: .autoRenewable,
                    subscription: TransactionReceipt.Subscription(expirationDate: moment + 60)
                ),
                AppReceipt.Purchase(
                    quantity: 2,
                    productIdentifier: "coins",
                    transactionIdentifier: "7",
                    purchaseDate: moment,
                    kind: .consumable
                ),
            ]
        )
        let file = try write(receipt.data(signedBy: signer))
        let run = Run("verify", file, "--key-file", keyFile)
        #expect(
            run.output == """
                status 0
                The store vouches for this app receipt.
                application_version: 1.2
                bundle_id: com.example.coins
                in_app[1].original_purchase_date: 2025-01-01T00:00:00Z
                in_app[1].original_transaction_id: 7
                in_app[1].product_id: coins
                in_app[1].purchase_date: 2025-01-01T00:00:00Z
                in_app[1].quantity: 2
                in_app[1].transaction_id: 7
                in_app[2].expires_date: 2025-01-01T00:01:00Z
                in_app[2].is_in_intro_offer_period: false
                in_app[2].is_trial_period: false
                in_app[2].original_purchase_date: 2025-01-01T00:00:00Z
                in_app[2].original_transaction_id: 8
                in_app[2].product_id: pass
                in_app[2].purchase_date: 2025-01-01T00:00:01Z
                in_app[2].quantity: 1
                in_app[2].transaction_id: 9
                original_application_version: 1.0
                original_purchase_date: 2013-08-01T07:00:00Z
                receipt_creation_date: 2025-01-01T00:00:05Z

                """
        )
        #expect(run.code == 0)
        let other = try directory.write("other key", "another")
        #expect(Run("verify", file, "--key-file", other).output.hasPrefix("status 21003\n"))
    }

    @Test func `The key may be given in hexadecimal digits`() throws {
        let file = try write(coins.data(signedBy: signer))
        let digits = Data("the store's key".utf8).map { String(format: "%02x", $0) }.joined()
        #expect(Run("verify", file, "--key", digits).output == Run("verify", file, "--key-file", keyFile).output)
        #expect(Run("verify", file, "--key", "00").output.hasPrefix("status 21003\n"))
    }

    @Test func `A subscription is judged at the moment given`() throws {
        var receipt = coins
        receipt.subscription = TransactionReceipt.Subscription(expirationDate: receipt.purchaseDate + 60)
        let file = try write(receipt.data(signedBy: signer))
        let before = Run("verify", file, "--key-file", keyFile, "--at", "2012-09-21T01:32:38Z")
        #expect(before.output.hasPrefix("status 0\n"))
        #expect(before.code == 0)
        let after = Run("verify", file, "--key-file", keyFile, "--at", "2012-09-21T01:32:39Z")
        #expect(after.output.hasPrefix("status 21006\n"))
        #expect(after.code == 1)
    }

    @Test func `The answer is printed as it went over the wire when asked for`() throws {
        let data = try coins.data(signedBy: signer)
        let run = Run("verify", try write(data), "--key-file", keyFile, "--json")
        let answer = ReceiptVerification(of: data, signer: signer, at: coins.purchaseDate)
        #expect(run.output == String(decoding: answer.json, as: UTF8.self) + "\n")
        #expect(run.code == 0)
        let forged = Run("verify", try write(data), "--key", "00", "--json")
        #expect(forged.output == "{\"status\":21003}\n")
        #expect(forged.code == 1)
    }

    @Test func `An app receipt too is answered about as it went over the wire`() throws {
        let receipt = AppReceipt(
            bundleIdentifier: "com.example.coins",
            bundleVersion: "1.2",
            device: Data(count: 16),
            opaqueValue: Data(count: 16),
            creationDate: Date(timeIntervalSince1970: 1_735_689_600)
        )
        let file = try write(receipt.data(signedBy: signer))
        let run = Run("verify", file, "--key-file", keyFile, "--at", "2025-01-02T00:00:00Z", "--json")
        let moment = Date(timeIntervalSince1970: 1_735_776_000)
        let answer = try receipt.json(environment: signer.environment, requestedAt: moment)
        #expect(run.output == String(decoding: answer, as: UTF8.self) + "\n")
        #expect(run.code == 0)
        let forged = Run("verify", file, "--key", "00", "--json")
        #expect(forged.output == "{\"status\":21003}\n")
        #expect(forged.code == 1)
    }

    @Test func `A JWS of this key is told field by field, or printed as it is`() throws {
        let payload = #"{"price":9990,"signedDate":1748736000000,"transactionId":"7"}"#
        let jws = signer.jws(of: Data(payload.utf8))
        for text in [jws, jws + "\n"] {
            let run = Run("verify", try write(Data(text.utf8)), "--key-file", keyFile)
            #expect(
                run.output == """
                    status 0
                    The store vouches for this transaction.
                    price: 9990
                    signedDate: 1748736000000
                    transactionId: 7

                    """
            )
            #expect(run.code == 0)
        }
        #expect(Run("verify", try write(Data(jws.utf8)), "--key-file", keyFile, "--json").output == payload + "\n")
    }

    @Test func `The JWS of a store with this key are told by their kinds`() throws {
        let store = try SandboxStore(
            products: [.autoRenewable("pass", price: "4.99", period: .init(1, .month), group: "passes")],
            signer: signer
        )
        try store.account.buy("pass")
        let subscription = try #require(store.account.signedSubscriptions(inGroup: "passes").first)
        for (jws, name) in [
            (try store.signedTransaction("1").jws, "transaction"),
            (try subscription.renewal.jws, "renewal information"),
            (try store.account.signedAppTransaction.jws, "app transaction"),
        ] {
            let run = Run("verify", try write(Data(jws.utf8)), "--key-file", keyFile)
            #expect(run.output.hasPrefix("status 0\nThe store vouches for this \(name).\n"))
            #expect(run.output.contains("LocalTesting"))
            #expect(run.code == 0)
        }
    }

    @Test func `A JWS that this key did not sign, or about something else, ends with 1 and tells why`() throws {
        let jws = signer.jws(of: Data(#"{"transactionId":"7"}"#.utf8))
        let cases = [
            (jws, "00", "status 21003\nThe JWS's signature is not this store's.\n"),
            (
                "eyJhbGciOiJFUzI1NiJ9" + jws.drop { $0 != "." }, "00",
                "status 21002\nThe text is not a JWS with the algorithm HS256 in its exact form.\n"
            ),
            (
                HMACReceiptSigner(key: Data([0])).jws(of: Data("{}".utf8)), "00",
                "status 21002\nThe signature is valid, but the content is none that the App Store signs.\n"
            ),
        ]
        for (jws, key, output) in cases {
            let run = Run("verify", try write(Data(jws.utf8)), "--key", key)
            #expect(run.output == output)
            #expect(run.code == 1)
        }
    }

    @Test func `A receipt or key that cannot be read ends with one line and 2`() throws {
        let receipt = try write(coins.data(signedBy: signer))
        let missing = directory.url.appending(path: "missing").path
        let empty = try directory.write("empty", "")
        let folder = directory.url.path
        let runs = [
            (Run("verify", missing, "--key-file", keyFile), "there is no file \(missing)"),
            (Run("verify", receipt, "--key-file", missing), "there is no file \(missing)"),
            (Run("verify", receipt, "--key-file", empty), "the key in \(empty) is empty"),
            (Run("verify", folder, "--key-file", keyFile), "the receipt cannot be read from \(folder): it is a folder"),
        ]
        for (run, sentence) in runs {
            #expect(run.complaints == "sandbox-store: \(sentence)\n")
            #expect(run.output.isEmpty)
            #expect(run.code == 2)
        }
    }

    @Test func `The key is never printed`() throws {
        let receipt = try write(coins.data(signedBy: signer))
        let forged = try directory.write("forged", "{\n}")
        for file in [receipt, forged] {
            let run = Run("verify", file, "--key-file", keyFile)
            #expect(!(run.output + run.complaints).contains("the store's key"))
        }
    }
}
