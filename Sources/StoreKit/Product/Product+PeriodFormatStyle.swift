import Foundation
import StoreCore

extension Product {
    #if canImport(Darwin)
        /// The style that formats the dates of a subscription's period, for
        /// `SubscriptionPeriod.formatted(_:referenceDate:)`.
        public var subscriptionPeriodFormatStyle: Date.ComponentsFormatStyle {
            Date.ComponentsFormatStyle(style: .wide, locale: product.locale)
        }
    #else
        /// The style that formats the dates of a subscription's period, for
        /// `SubscriptionPeriod.formatted(_:referenceDate:)`.
        ///
        /// Foundation's `Date.ComponentsFormatStyle` can neither be made nor format on this platform.
        public var subscriptionPeriodFormatStyle: SubscriptionPeriod.DatesFormatStyle {
            SubscriptionPeriod.DatesFormatStyle(locale: product.locale)
        }
    #endif
}

#if !canImport(Darwin)
    extension Product.SubscriptionPeriod {
        /// A style that formats a range of dates as a length of time, as in "3 months".
        ///
        /// The words are English in every locale: Foundation has the names of units on Apple's platforms only.
        public struct DatesFormatStyle: FormatStyle, Sendable {
            /// The locale, at first that of the product's price; it does not change the words.
            public var locale: Locale

            init(locale: Locale) { self.locale = locale }

            /// Returns the range's length in years, months, weeks and days, by the Gregorian calendar.
            public func format(_ value: Range<Date>) -> String {
                let calendar = Calendar(identifier: .gregorian)
                let lengths = calendar.dateComponents(
                    [.year, .month, .weekOfMonth, .day],
                    from: value.lowerBound,
                    to: value.upperBound
                )
                let parts = [
                    (lengths.year, "year"), (lengths.month, "month"), (lengths.weekOfMonth, "week"),
                    (lengths.day, "day"),
                ]
                let words = parts.compactMap { count, unit in
                    count.flatMap { $0 == 0 ? nil : "\($0) \(unit)\($0 == 1 ? "" : "s")" }
                }
                return words.isEmpty ? "0 days" : words.joined(separator: ", ")
            }

            /// Returns the same style for another locale.
            public func locale(_ locale: Locale) -> DatesFormatStyle { DatesFormatStyle(locale: locale) }
        }
    }
#endif
