import Foundation
import StoreCore
import Testing

/// What is in signed payloads, without a store.
struct PayloadTests {
    private let signer = ReceiptSamples.signer
    private let gold = TransactionPayload(
        transactionId: "7",
        bundleId: "com.example.app",
        productId: "gold",
        type: .consumable,
        quantity: 2,
        purchaseDate: PayloadDate(milliseconds: 1_735_689_600_000),
        environment: "LocalTesting",
        signedDate: PayloadDate(milliseconds: 1_735_689_600_001)
    )

    private func jws(_ payload: some JWSPayload) -> String { signer.jws(of: payload.json) }

    @Test func `A value that is absent has no key, and the keys are sorted`() {
        let json = """
            {"bundleId":"com.example.app","environment":"LocalTesting","inAppOwnershipType":"PURCHASED",\
            "originalPurchaseDate":1735689600000,"originalTransactionId":"7","productId":"gold",\
            "purchaseDate":1735689600000,"quantity":2,"signedDate":1735689600001,"transactionId":"7",\
            "transactionReason":"PURCHASE","type":"Consumable"}
            """
        #expect(String(decoding: gold.json, as: UTF8.self) == json)
    }

    @Test func `A payload is read from the JWS that its store signed`() throws {
        #expect(try TransactionPayload(verifying: jws(gold), signer: signer) == gold)
        let refusal = #expect(throws: ReceiptRefusal.self) {
            try TransactionPayload(verifying: jws(gold), signer: HMACReceiptSigner())
        }
        #expect(refusal?.status == .notAuthentic)
    }

    @Test func `A payload of another kind is refused`() {
        let app = AppTransactionPayload(
            bundleId: "com.example.app",
            applicationVersion: "1.0",
            environment: "LocalTesting",
            signedDate: gold.signedDate
        )
        let refusals = [
            #expect(throws: ReceiptRefusal.self) { try TransactionPayload(verifying: jws(app), signer: signer) },
            #expect(throws: ReceiptRefusal.self) { try RenewalPayload(verifying: jws(gold), signer: signer) },
            #expect(throws: ReceiptRefusal.self) { try AppTransactionPayload(verifying: jws(gold), signer: signer) },
        ]
        #expect(refusals.map { $0?.status } == [.malformed, .malformed, .malformed])
    }

    @Test func `A payload from another environment is refused`() {
        var other = gold
        other.environment = "Production"
        let refusal = #expect(throws: ReceiptRefusal.self) {
            try TransactionPayload(verifying: jws(other), signer: signer)
        }
        #expect(refusal?.status == .productionReceiptInSandbox)
    }

    @Test func `A date is rounded to the millisecond, and may be written with fractions`() throws {
        #expect(PayloadDate(Date(timeIntervalSince1970: 1.000_6)).milliseconds == 1001)
        #expect(PayloadDate(.distantPast).milliseconds == -62_135_769_600_000)
        #expect(PayloadDate(Date(timeIntervalSince1970: .infinity)).milliseconds == .max)
        #expect(PayloadDate(Date(timeIntervalSince1970: -.infinity)).milliseconds == .min)
        #expect(PayloadDate(Date(timeIntervalSince1970: .nan)).milliseconds == .max)
        #expect(PayloadDate(Date(timeIntervalSince1970: 1e300)).milliseconds == .max)
        #expect(PayloadDate(milliseconds: 1500).date == Date(timeIntervalSince1970: 1.5))
        #expect(PayloadDate(milliseconds: 1) < PayloadDate(milliseconds: 2))
        let dates = Data("[1697679936049.7297,1697679936049,-1]".utf8)
        let read = try JSONDecoder().decode([PayloadDate].self, from: dates)
        #expect(read.map(\.milliseconds) == [1_697_679_936_050, 1_697_679_936_049, -1])
        #expect(String(decoding: try JSONEncoder().encode(read), as: UTF8.self) == "[1697679936050,1697679936049,-1]")
        for other in ["[1e300]", #"["1"]"#, "[true]", "[null]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([PayloadDate].self, from: Data(other.utf8))
            }
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `A payload with a date out of range is encoded, and read as it was`(seconds: Double) throws {
        var payload = gold
        payload.expiresDate = PayloadDate(Date(timeIntervalSince1970: seconds))
        #expect(try TransactionPayload(verifying: jws(payload), signer: signer) == payload)
    }

    @Test func `A value that is not known yet is read and written as it is`() throws {
        let json = String(decoding: gold.json, as: UTF8.self).replacing("PURCHASED", with: "ASSIGNED")
        let read = try JSONDecoder().decode(TransactionPayload.self, from: Data(json.utf8))
        #expect(read.inAppOwnershipType.rawValue == "ASSIGNED")
        #expect(String(decoding: read.json, as: UTF8.self) == json)
    }
}
