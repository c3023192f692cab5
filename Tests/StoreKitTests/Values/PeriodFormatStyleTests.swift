import Foundation
import StoreCore
import StoreKit
import Testing

// Foundation's style writes the words on Apple's platforms.
#if !canImport(Darwin)

    @Suite struct PeriodFormatStyleTests {
        private func product(_ period: StoreProduct.Period) async throws -> Product {
            let plan = SandboxProduct.autoRenewable("plan", price: "1", period: period, group: "plans")
            let shop = try Shop(.inline, selling: [plan])
            return try #require(try await shop.run { try await Product.products(for: ["plan"]) }.first)
        }

        @Test(
            arguments: [
                (StoreProduct.Period(1, .month), "1 month"), (.init(3, .month), "3 months"),
                (.init(1, .year), "1 year"),
                (.init(18, .month), "1 year, 6 months"), (.init(1, .week), "1 week"),
                (.init(10, .day), "1 week, 3 days"),
            ]
        )
        func `A product's style writes the length of its period`(period: StoreProduct.Period, text: String) async throws
        {
            let product = try await product(period)
            let style = product.subscriptionPeriodFormatStyle
            // On a day after which neither a month is short nor a clock is changed within a week.
            let start = try Date("2025-05-01T12:00:00Z", strategy: .iso8601)
            let written = try #require(product.subscription).subscriptionPeriod.formatted(style, referenceDate: start)
            #expect(written == text)
            #expect(style.locale.identifier == "en_US@currency=USD")
            #expect(style.locale(Locale(identifier: "de_DE")).locale.identifier == "de_DE")
            #expect(style.format(start..<start) == "0 days")
        }
    }
#endif
