#if canImport(CLibcrypto)
    import Foundation
    import StoreCore
    import StoreCrypto

    extension Figure {
        static let receiptPKCS7Grow = grow("receipt.pkcs7.grow", purchases: 10_000, growth: growth)
        static let receiptPKCS7GrowShort = grow("receipt.pkcs7.grow.short", purchases: 1_000)

        private static func grow(_ name: String, purchases count: Int, growth: Growth? = nil) -> Figure {
            Figure(
                name: name,
                summary: "an app receipt of \(count) purchases, encoded and signed in PKCS #7",
                unit: "ns/purchase",
                limit: 2,
                growth: growth
            ) {
                let receipt = SignedSamples.receipt(purchases: count)
                let signer = try SignedSamples.authority().pkcs7Signer(at: SignedSamples.date)
                let payload = try SignedSamples.payload(of: receipt)
                let message = try signer.sign(payload)
                let hand = try HandReceipt(message, payload: payload)
                let isSame = hand.encode(payload.count) == [UInt8](payload)
                try WrongCount.check(isSame ? 1 : 0, of: 1, "payloads are the same")
                return Cases(
                    floor: { try sample(count, message.count) { hand.sign(payload.count).count } },
                    value: {
                        try sample(count, message.count) { try signer.sign(SignedSamples.payload(of: receipt)).count }
                    }
                )
            }
        }

        private static let growth = Growth(
            of: "purchases in the receipt",
            unit: "ns/purchase",
            sizes: [1_000, 10_000, 100_000]
        ) { count in
            let receipt = SignedSamples.receipt(purchases: count)
            let signer = try SignedSamples.authority().pkcs7Signer(at: SignedSamples.date)
            let length = try signer.sign(SignedSamples.payload(of: receipt)).count
            return Growth.Probe {
                try sample(count, length) { try signer.sign(SignedSamples.payload(of: receipt)).count }
            }
        }

        /// Ten receipts of a tenth are as much work, but for what does not grow with the purchases alone.
        ///
        /// Without signatures, of which ten take longer than one.
        static let receiptPKCS7Linear = Figure(
            name: "receipt.pkcs7.linear",
            summary: "an app receipt of 10000 purchases, encoded; the floor is ten of 1000",
            unit: "ns/purchase",
            limit: 1.25
        ) {
            let (long, short) = (SignedSamples.receipt(purchases: 10_000), SignedSamples.receipt(purchases: 1_000))
            let lengths = (try SignedSamples.payload(of: long).count, try SignedSamples.payload(of: short).count)
            return Cases(
                floor: {
                    try sample(10_000, 10 * lengths.1) {
                        try (0..<10).reduce(0) { count, _ in try count + SignedSamples.payload(of: short).count }
                    }
                },
                value: { try sample(10_000, lengths.0) { try SignedSamples.payload(of: long).count } }
            )
        }

        private static func sample(_ purchases: Int, _ length: Int, _ work: () throws -> Int) throws -> Sample {
            try .nanoseconds(each: purchases, of: length, "bytes were written", work)
        }
    }
#endif
