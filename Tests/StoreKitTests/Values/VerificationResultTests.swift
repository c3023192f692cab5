import StoreCore
import StoreKit
import Testing

@Suite struct VerificationResultTests {
    typealias Failure = VerificationResult<Transaction>.VerificationError

    @Test func `A value without a defect is verified`() async throws {
        let result = try await TransactionPayload.sample().signed().result()
        guard case .verified(let transaction) = result else { return _ = Issue.record("\(result) is not verified") }
        #expect(try result.payloadValue == transaction && result.unsafePayloadValue == transaction)
    }

    @Test(
        arguments: zip(
            SignatureDefect.allCases,
            [
                .invalidEncoding, .invalidCertificateChain, .revokedCertificate, .invalidSignature,
                .missingRequiredProperties, .invalidDeviceVerification,
            ] as [Failure]
        )
    )
    func `A value with a defect is unverified, and readable`(defect: SignatureDefect, error: Failure) async throws {
        let result = try await TransactionPayload.sample().signed(with: defect).result()
        guard case .unverified(let transaction, let found) = result
        else { return _ = Issue.record("\(result) is verified") }
        #expect(found == error)
        #expect(throws: error) { try result.payloadValue }
        #expect(transaction.productID == "gold")
        #expect(result.unsafePayloadValue == transaction)
    }

    @Test func `Renewal information and app transactions are judged too`() async throws {
        let renewal = try await RenewalPayload.sample().signed(with: .invalidSignature).result()
        #expect(throws: VerificationResult<Product.SubscriptionInfo.RenewalInfo>.VerificationError.invalidSignature) {
            try renewal.payloadValue
        }
        let app = try await AppTransactionPayload.sample().signed(with: .revokedCertificate).result()
        #expect(throws: VerificationResult<AppTransaction>.VerificationError.revokedCertificate) {
            try app.payloadValue
        }
    }

    /// Checks the parts of a result's JWS against the text.
    ///
    /// They are the header, the payload, the signature, and what it signs.
    private func check(_ text: String, _ decoded: [Data]) throws {
        let parts = text.split(separator: ".").map { Data($0.utf8) }
        try #require(parts.count == 3)
        func encoded(_ data: Data) -> Data { Data(data.withUnsafeBytes(Base64URL.encode)) }
        #expect(decoded.prefix(3).map(encoded) == parts)
        #expect(decoded[3] == parts[0] + Data(".".utf8) + parts[1])
        #expect(try JSONDecoder().decode([String: String].self, from: decoded[0])["alg"] == "HS256")
        #expect(decoded[2] == HMACReceiptSigner(key: Data("key".utf8)).sign(decoded[3]))
    }

    @Test func `The parts of each value's JWS are decoded`() async throws {
        let one = try await TransactionPayload.sample().signed().result()
        try check(one.jwsRepresentation, [one.headerData, one.payloadData, one.signatureData, one.signedData])
        #expect(one.payloadData == one.unsafePayloadValue.jsonRepresentation)
        let two = try await RenewalPayload.sample().signed().result()
        try check(two.jwsRepresentation, [two.headerData, two.payloadData, two.signatureData, two.signedData])
        #expect(two.payloadData == two.unsafePayloadValue.jsonRepresentation)
        let app = try await AppTransactionPayload.sample().signed().result()
        try check(app.jwsRepresentation, [app.headerData, app.payloadData, app.signatureData, app.signedData])
        #expect(app.payloadData == app.unsafePayloadValue.jsonRepresentation)
        #expect(Set([one.signedDate, two.signedDate, app.signedDate]) == [Date(timeIntervalSince1970: 2.5)])
    }

    @Test func `A value whose JWS cannot be decoded has the JSON of its properties`() async throws {
        let shop = try Shop(.inline)
        shop.store.signatureDefect = .invalidEncoding
        guard case .success(let result) = try await shop.buy("coins")
        else { return _ = Issue.record("nothing was bought") }
        #expect(try JSONDecoder().decode(TransactionPayload.self, from: result.payloadData).productId == "coins")
        #expect(result.payloadData == result.unsafePayloadValue.jsonRepresentation && result.signatureData.isEmpty)
    }

    @Test func `A value for a device has the hash and its nonce`() async throws {
        let hash = Data(1...48)
        let nonce = UUID()
        func tie(_ payload: inout some JWSPayload) {
            payload.deviceVerification = hash.base64EncodedString()
            payload.deviceVerificationNonce = nonce.uuidString.lowercased()
        }
        let transaction = try await TransactionPayload.sample { tie(&$0) }.signed().result()
        #expect(transaction.deviceVerification == hash && transaction.deviceVerificationNonce == nonce)
        let renewal = try await RenewalPayload.sample { tie(&$0) }.signed().result()
        #expect(renewal.deviceVerification == hash && renewal.deviceVerificationNonce == nonce)
        let app = try await AppTransactionPayload.sample { tie(&$0) }.signed().result()
        #expect(app.deviceVerification == hash && app.deviceVerificationNonce == nonce)
    }

    @Test func `A result's description names the case, the error and the value`() async throws {
        let payload = TransactionPayload.sample()
        let verified = try await payload.signed().result().debugDescription
        #expect(verified.hasPrefix("verified(") && verified.contains(#""productId":"gold""#))
        let unverified = try await payload.signed(with: .invalidSignature).result().debugDescription
        #expect(unverified.hasPrefix("unverified(invalidSignature, "))
    }

    @Test func `A verified result and an unverified one of the same value differ`() async throws {
        let payload = TransactionPayload.sample()
        let verified = try await payload.signed().result()
        let unverified = try await payload.signed(with: .invalidSignature).result()
        #expect(verified != unverified)
        #expect(try await unverified == payload.signed(with: .invalidSignature).result())
        #expect(try await unverified != payload.signed(with: .invalidEncoding).result())
    }

    @Test func `Each error has sentences, and a reason of its own`() {
        let errors: [VerificationResult<AppTransaction>.VerificationError] = [
            .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding,
            .invalidSignature, .missingRequiredProperties,
        ]
        #expect(Set(errors.map(\.failureReason)).count == 6)
        #expect(errors.allSatisfy { $0.errorDescription != nil && $0.recoverySuggestion != nil })
        #expect(errors.allSatisfy { ($0 as any Error).localizedDescription == $0.errorDescription })
    }
}
