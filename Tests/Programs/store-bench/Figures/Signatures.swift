#if canImport(CLibcrypto)
    import Foundation
    import StoreCore
    import StoreCrypto

    extension Figure {
        static let receiptPKCS7Sign = Figure(
            name: "receipt.pkcs7.sign",
            summary: "one app receipt, signed with RSA-2048 in PKCS #7",
            unit: "ns",
            limit: 1.15,
            dream: 1.1
        ) {
            let payload = try SignedSamples.appReceipt(purchases: 1)
            let signer = try SignedSamples.authority().pkcs7Signer(at: SignedSamples.date)
            let key = try BareKey.rsa2048()
            let bytes = [UInt8](payload)
            return Cases(
                floor: { try sample(of: 200) { key.sign(bytes) > 0 } },
                value: { try sample(of: 200) { try signer.sign(payload).count > bytes.count } }
            )
        }

        static let jwsSign = Figure(
            name: "jws.sign",
            summary: "one transaction, signed as JWS",
            unit: "ns",
            limit: 1.35,
            dream: 1.15
        ) {
            let signer = try SignedSamples.authority().jwsSigner(at: SignedSamples.date)
            let key = try BareKey.p256()
            // The header is hashed once; what is signed anew is the payload in Base64.
            let bytes = [UInt8](SignedSamples.jwsPayload.base64EncodedData())
            return Cases(
                floor: { try sample(of: 2_000) { key.sign(bytes) > 0 } },
                value: { try sample(of: 2_000) { try signer.sign(SignedSamples.jwsPayload).utf8.count > bytes.count } }
            )
        }

        static let jwsVerify = Figure(
            name: "jws.verify",
            summary: "one transaction's JWS, verified",
            unit: "ns",
            limit: 1.35
        ) {
            let authority = try SignedSamples.authority()
            let jws = try authority.jwsSigner(at: SignedSamples.date).sign(SignedSamples.jwsPayload)
            let verifier = try JWSVerifier(root: authority.rootCertificate)
            let key = try BareKey.p256()
            let bytes = [UInt8](SignedSamples.jwsPayload.base64EncodedData())
            try WrongCount.check(key.sign(bytes) > 0 ? 1 : 0, of: 1, "signatures were made")
            return Cases(
                floor: { try sample(of: 1_000) { key.isValid(for: bytes) } },
                value: {
                    try sample(of: 1_000) {
                        try verifier.verify(jws, asOf: SignedSamples.date) == SignedSamples.jwsPayload
                    }
                }
            )
        }

        private static func sample(of count: Int, _ work: () throws -> Bool) throws -> Sample {
            try .nanoseconds(each: count, "signatures were good") { try (0..<count).count { _ in try work() } }
        }
    }
#endif
