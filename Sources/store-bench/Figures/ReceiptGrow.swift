#if canImport(CLibcrypto)
    import Foundation
    import StoreCore
    import StoreCrypto

    extension Figure {
        static let receiptPKCS7Grow = Figure(
            name: "receipt.pkcs7.grow",
            summary: "an app receipt of 10,000 purchases, encoded and signed in PKCS #7",
            unit: "ns/purchase",
            limit: 2
        ) {
            let receipt = SignedSamples.receipt(purchases: count)
            let signer = try SignedSamples.authority().pkcs7Signer(at: SignedSamples.date)
            let payload = try SignedSamples.payload(of: receipt)
            let message = try signer.sign(payload)
            let hand = try HandReceipt(message, payload: payload)
            try WrongCount.check(hand.encode(payload.count) == [UInt8](payload) ? 1 : 0, of: 1, "payloads are the same")
            return Cases(
                floor: { try sample(of: message.count) { hand.sign(payload.count).count } },
                value: { try sample(of: message.count) { try signer.sign(SignedSamples.payload(of: receipt)).count } }
            )
        }

        private static let count = 10_000

        private static func sample(of length: Int, _ work: () throws -> Int) throws -> Sample {
            var written = 0
            let time = try Stopwatch.nanoseconds { written = try work() }
            try WrongCount.check(written, of: length, "bytes were written")
            return Sample(value: time / Double(count))
        }
    }
#endif
