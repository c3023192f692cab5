import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import sandbox_store

/// Receipts and JWS of a store that signs like the App Store, judged with its root.
@MainActor
@Suite(.enabled(if: Libcrypto.isAvailable, Comment(rawValue: Libcrypto.advice))) struct VerifyRootTests {
    /// Lives as long as the test.
    private let directory: Directory
    private let authority: CertificateAuthority
    private let signer: AppStoreSigner
    private let root: String
    private static let start = Date(timeIntervalSince1970: 1_748_736_000)
    private let coins = TransactionReceipt(
        productIdentifier: "coins",
        transactionIdentifier: "7",
        purchaseDate: Self.start,
        bundleIdentifier: "com.example.coins",
        bundleVersion: "1.0",
        subscription: .init(expirationDate: Self.start + 60)
    )
    private var receipt: AppReceipt {
        AppReceipt(
            bundleIdentifier: "com.example.coins",
            bundleVersion: "1.2",
            device: Data(count: 16),
            opaqueValue: Data(count: 16),
            creationDate: Self.start,
            purchases: [
                .init(
                    productIdentifier: "coins",
                    transactionIdentifier: "7",
                    purchaseDate: Self.start,
                    kind: .consumable
                )
            ]
        )
    }

    init() throws {
        directory = try Directory()
        let clock = ManualClock(startingAt: Self.start)
        authority = try CertificateAuthority(now: clock.now)
        signer = try AppStoreSigner(authority, clock: clock)
        root = try directory.write("root.pem", authority.rootPEM)
    }

    private func write(_ data: Data) throws -> String {
        let file = directory.url.appending(path: "signed")
        try data.write(to: file)
        return file.path
    }

    @Test func `An app receipt is told with its environment and its purchases, as it is and in Base64`() throws {
        let data = try receipt.data(signedBy: signer)
        let run = Run("verify", try write(data), "--root", root)
        #expect(
            run.output == """
                status 0
                The root vouches for this app receipt.
                application_version: 1.2
                bundle_id: com.example.coins
                environment: Sandbox
                in_app[1].original_purchase_date: 2025-06-01T00:00:00Z
                in_app[1].original_transaction_id: 7
                in_app[1].product_id: coins
                in_app[1].purchase_date: 2025-06-01T00:00:00Z
                in_app[1].quantity: 1
                in_app[1].transaction_id: 7
                original_application_version: 1.0
                original_purchase_date: 2013-08-01T07:00:00Z
                receipt_creation_date: 2025-06-01T00:00:00Z

                """
        )
        #expect(run.code == 0)
        let text = data.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]) + "\n"
        #expect(Run("verify", try write(Data(text.utf8)), "--root", root).output == run.output)
        let moment = "2025-06-02T00:00:00Z"
        let wire = Run("verify", try write(data), "--root", root, "--at", moment, "--json").output
        #expect(
            wire == String(
                decoding: try receipt.json(environment: "Sandbox", requestedAt: Self.start + 86_400),
                as: UTF8.self
            ) + "\n"
        )
        #expect(wire.contains(#""receipt_type":"ProductionSandbox""#))
    }

    @Test func `A transaction receipt is told, its environment as unsigned, and judged at the moment given`() throws {
        let file = try write(coins.data(signedBy: signer))
        let before = Run("verify", file, "--root", root, "--at", "2025-06-01T00:00:59Z")
        #expect(before.output.hasPrefix("status 0\nThe root vouches for this receipt.\nbid: com.example.coins\n"))
        #expect(before.output.contains("\nenvironment: Sandbox (no signature covers it)\n"))
        #expect(before.code == 0)
        let after = Run("verify", file, "--root", root, "--at", "2025-06-01T00:01:00Z")
        #expect(after.output.hasPrefix("status 21006\nThe subscription's period is over.\n"))
        #expect(after.code == 1)
    }

    @Test func `A JWS is told field by field, or printed as it is`() throws {
        let payload = #"{"transactionId":"7","price":9990,"isUpgraded":true,"signedDate":1748736000000}"#
        let jws = try signer.jws(of: Data(payload.utf8))
        for text in [jws, jws + "\n"] {
            let run = Run("verify", try write(Data(text.utf8)), "--root", root)
            #expect(
                run.output == """
                    status 0
                    The root vouches for this transaction.
                    isUpgraded: true
                    price: 9990
                    signedDate: 1748736000000
                    transactionId: 7

                    """
            )
            #expect(run.code == 0)
        }
        #expect(Run("verify", try write(Data(jws.utf8)), "--root", root, "--json").output == payload + "\n")
        for (payload, name) in [
            (#"{"autoRenewProductId":"gold","signedDate":1748736000000}"#, "renewal information"),
            (#"{"receiptType":"Sandbox","receiptCreationDate":1748736000000}"#, "app transaction"),
            (#"{"notificationType":"TEST","signedDate":1748736000000}"#, "notification"),
        ] {
            let file = try write(Data(try signer.jws(of: Data(payload.utf8)).utf8))
            let run = Run("verify", file, "--root", root)
            #expect(run.output.hasPrefix("status 0\nThe root vouches for this \(name).\n"))
        }
    }

    @Test func `A field's name and its value stay on their line`() throws {
        let payload =
            #"{"\nstatus 21003":"a\u2028b","c\u0085d":"\u009b2J","signedDate":1748736000000,"transactionId":"7"}"#
        let run = Run("verify", try write(Data(signer.jws(of: Data(payload.utf8)).utf8)), "--root", root)
        #expect(
            run.output == #"""
                status 0
                The root vouches for this transaction.
                "\nstatus 21003": "a\u{2028}b"
                "c\u{0085}d": "\u{009B}2J"
                signedDate: 1748736000000
                transactionId: 7

                """#
        )
    }

    @Test func `What the root does not vouch for ends with 1, and tells why and nothing else`() throws {
        let other = try AppStoreSigner(
            CertificateAuthority(now: Self.start),
            clock: ManualClock(startingAt: Self.start)
        )
        let expired = try AppStoreSigner(authority, clock: ManualClock(startingAt: Self.start), defect: .expiredLeaf)
        let cases: [(Data, String)] = [
            (try receipt.data(signedBy: other), "status 21003\nThe chain does not end in the trusted root.\n"),
            (
                try receipt.data(signedBy: expired),
                "status 21003\nThe leaf certificate had expired at the signing date.\n"
            ),
            (try receipt.data(signedBy: HMACReceiptSigner()), "status 21002\nThe data is not in its exact form.\n"),
            (Data("receipt".utf8), "status 21002\nThe data is not in its exact form.\n"),
            (Data(), "status 21002\nThe data is not in its exact form.\n"),
        ]
        for (data, output) in cases {
            let run = Run("verify", try write(data), "--root", root)
            #expect(run.output == output)
            #expect(run.code == 1)
        }
        let run = Run("verify", try write(cases[0].0), "--root", root, "--json")
        #expect(run.output == "{\"status\":21003}\n")
        #expect(run.code == 1)
    }

    @Test func `A revoked leaf is refused with the list that names it, and accepted without`() throws {
        let clock = ManualClock(startingAt: Self.start)
        let revoked = try AppStoreSigner(authority, clock: clock, defect: .revoked)
        let list = directory.url.appending(path: "revoked.crl").path
        try authority.revocationList(at: Self.start).write(to: URL(filePath: list))
        let jws = Data(try revoked.jws(of: Data(#"{"transactionId":"7","signedDate":1748736000000}"#.utf8)).utf8)
        for data in [jws, try receipt.data(signedBy: revoked)] {
            let file = try write(data)
            #expect(Run("verify", file, "--root", root).code == 0)
            let run = Run("verify", file, "--root", root, "--revocation-list", list)
            #expect(run.output == "status 21003\nThe leaf certificate is revoked.\n")
            #expect(run.code == 1)
        }
        let sound = try write(receipt.data(signedBy: signer))
        #expect(Run("verify", sound, "--root", root, "--revocation-list", list).code == 0)

        let missing = directory.url.appending(path: "missing").path
        let text = try directory.write("text", "no list")
        for (list, sentence) in [
            (missing, "there is no file \(missing)"),
            (text, "the revocation list in \(text): the data is no revocation list in DER"),
        ] {
            let run = Run("verify", sound, "--root", root, "--revocation-list", list)
            #expect(run.complaints == "sandbox-store: \(sentence)\n")
            #expect(run.output.isEmpty)
            #expect(run.code == 2)
        }
    }

    @Test func `A receipt with a date that no answer can tell is not valid, whatever vouches for it`() throws {
        let payload = try signer.open(receipt.data(signedBy: signer)) { _ in Self.start }
        let early = payload.replacing(Data("2013-08-01T07:00:00Z".utf8), with: Data("0000-08-01T07:00:00Z".utf8))
        #expect(early != payload)
        let file = try write(signer.seal(early))
        let run = Run("verify", file, "--root", root)
        #expect(run.output == "status 21002\nA receipt's dates lie in the years 1 to 9999.\n")
        #expect(run.code == 1)
        let wire = Run("verify", file, "--root", root, "--json")
        #expect(wire.output == "{\"status\":21002}\n")
        #expect(wire.code == 1)
    }

    @Test func `A root that cannot be used ends with one line and 2`() throws {
        let file = try write(receipt.data(signedBy: signer))
        let missing = directory.url.appending(path: "missing").path
        let text = try directory.write("text", "no root")
        let runs = [
            (Run("verify", file, "--root", missing), "there is no file \(missing)"),
            (
                Run("verify", file, "--root", text),
                "the root in \(text): there is no CERTIFICATE in the PEM, or not all of it"
            ),
            (Run("verify", missing, "--root", root), "there is no file \(missing)"),
        ]
        for (run, sentence) in runs {
            #expect(run.complaints == "sandbox-store: \(sentence)\n")
            #expect(run.output.isEmpty)
            #expect(run.code == 2)
        }
    }
}

@MainActor
@Suite(.enabled(if: !Libcrypto.isAvailable, "libcrypto is there")) struct VerifyWithoutLibcryptoTests {
    @Test func `Without libcrypto a root is answered with what to install`() {
        let run = Run("verify", "receipt", "--root", "root.pem")
        #expect(run.complaints == "sandbox-store: \(Libcrypto.advice)\n")
        #expect(run.output.isEmpty)
        #expect(run.code == 1)
    }
}
