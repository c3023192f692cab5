import Foundation

/// A text that equals another only if both have the same code units, as in Apple's Store Kit.
///
/// A `String` also equals canonically equivalent strings, in which "é" may be one scalar or two.
package struct ExactText: Hashable, Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        let isEqual = left.text.utf8.withContiguousStorageIfAvailable { left in
            right.text.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count
                    && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
            }
        }
        return (isEqual ?? nil) ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the text like a `String`, which is fast; canonically equivalent texts therefore share a hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    /// Returns whether another text has the same code units.
    package func isExactly(_ other: String) -> Bool { ExactText(self) == ExactText(other) }
}

// Dates as ISO 8601 text without loss: the fraction of the second has as many digits as necessary.
extension Date {
    /// The moment in UTC, as in `2026-11-28T09:30:00.125Z`: exact, with at least three decimals of the second.
    ///
    /// Nil outside the years 0 to 9999, and for the few moments near the start of 2001 with more than 18 decimals.
    package var exactText: String? {
        let interval = timeIntervalSinceReferenceDate
        guard interval >= Self.firstSecond, interval < Self.endOfSeconds else { return nil }
        // The shortest digits that identify this number.
        var digits = Array(interval.magnitude.description.utf8)[...]
        guard !digits.contains(UInt8(ascii: "e")), var second = digits.number(upTo: ".") else { return nil }
        if digits.elementsEqual("0".utf8) { digits = [] }
        guard digits.count <= Self.maximumDigits else { return nil }
        if interval < 0 {
            second = -second
            if let complement = Self.complement(of: digits) { (second, digits) = (second - 1, complement) }
        }
        let (days, time) = second.quotientAndRemainder(flooredBy: 86_400)
        let (year, month, day) = CivilDay.date(daysSince2001: days)
        return String(unsafeUninitializedCapacity: 21 + max(3, digits.count)) { text in
            var count = 0
            func append(_ byte: UInt8) {
                text.initializeElement(at: count, to: byte)
                count += 1
            }
            func append(_ number: Int, _ separator: Unicode.Scalar) {
                append(UInt8(ascii: "0") + UInt8(number / 10))
                append(UInt8(ascii: "0") + UInt8(number % 10))
                append(UInt8(ascii: separator))
            }
            append(UInt8(ascii: "0") + UInt8(year / 1000))
            append(UInt8(ascii: "0") + UInt8(year / 100 % 10))
            append(year % 100, "-")
            append(month, "-")
            append(day, "T")
            append(time / 3600, ":")
            append(time / 60 % 60, ":")
            append(time % 60, ".")
            for digit in digits { append(digit) }
            for _ in digits.count..<max(3, digits.count) { append(UInt8(ascii: "0")) }
            append(UInt8(ascii: "Z"))
            return count
        }
    }

    /// Reads a moment in ISO 8601: a date, `T`, a time, perhaps with a fraction, and `Z` or an offset such as `+02:00`.
    ///
    /// Nil for any other text.
    package init?(exactText text: String) {
        var remaining = Array(text.utf8)[...]
        guard let year = remaining.number(4, then: "-"), let month = remaining.number(2, then: "-"),
            let day = remaining.number(2, then: "T"), let hour = remaining.number(2, then: ":"),
            let minute = remaining.number(2, then: ":"), let second = remaining.number(2),
            let days = CivilDay.daysSince2001(year, month, day), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: ArraySlice<UInt8> = []
        if remaining.first == UInt8(ascii: ".") {
            let digits = remaining.dropFirst().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            guard !digits.isEmpty else { return nil }
            remaining = remaining.dropFirst(digits.count + 1)
            fraction = digits.prefix(Self.maximumDigits)
        }
        guard let offset = remaining.offset() else { return nil }
        var whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        let isNegative = whole < 0
        if isNegative, let complement = Self.complement(of: fraction) { (whole, fraction) = (whole + 1, complement) }
        guard let interval = Double("\(whole.magnitude).\(String(decoding: fraction, as: UTF8.self))0") else {
            return nil
        }
        self.init(timeIntervalSinceReferenceDate: isNegative ? -interval : interval)
    }

    /// The maximum number of decimals of the second.
    private static let maximumDigits = 18
    /// The first second of the year 0, and the first of the year 10000.
    private static let firstSecond = -63_145_526_400.0
    private static let endOfSeconds = 252_423_993_600.0

    /// Returns the decimals of one minus a fraction; nil if the fraction is zero.
    private static func complement(of fraction: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let last = fraction.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return nil }
        // The complement to nine of each digit, but to ten of the last.
        var complement = fraction[...last]
        for index in complement.indices { complement[index] = 2 * UInt8(ascii: "0") + 9 - complement[index] }
        complement[last] += 1
        return complement
    }
}

/// Days of the Gregorian calendar, counted from 1 January 2001.
private enum CivilDay {
    /// The days of an ordinary year before each month.
    private static let starts = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Returns the number of days from 1 January of the year 1 to 1 January of a year.
    private static func days(before year: Int) -> Int {
        // Shifted by four centuries, 146,097 days, so that no operand is negative.
        let past = year + 399
        return past * 365 + past / 4 - past / 100 + past / 400 - 146_097
    }

    private static func start(of month: Int, in year: Int) -> Int {
        starts[month - 1] + (month > 2 && isLeap(year) ? 1 : 0)
    }

    private static let origin = days(before: 2001)

    /// Returns the number of a day; nil if there is no such day.
    static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard 1...12 ~= month, day > 0 else { return nil }
        let end = month == 12 ? 365 + (isLeap(year) ? 1 : 0) : start(of: month + 1, in: year)
        guard day <= end - start(of: month, in: year) else { return nil }
        return days(before: year) - origin + start(of: month, in: year) + day - 1
    }

    /// Returns the date of a day in the years 0 to 9999.
    static func date(daysSince2001 days: Int) -> (year: Int, month: Int, day: Int) {
        let day = days + origin
        // An estimate of the year, which the next line corrects by at most one.
        var year = (day + 146_097) * 400 / 146_097 - 399
        if self.days(before: year) > day { year -= 1 } else if self.days(before: year + 1) <= day { year += 1 }
        let dayOfYear = day - self.days(before: year)
        var month = min(dayOfYear / 29 + 1, 12)
        while start(of: month, in: year) > dayOfYear { month -= 1 }
        return (year, month, dayOfYear - start(of: month, in: year) + 1)
    }
}

extension Int {
    fileprivate func quotientAndRemainder(flooredBy divisor: Int) -> (Int, Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns a number of exactly `digits` digits, and removes the separator after it.
    fileprivate mutating func number(_ digits: Int, then separator: Unicode.Scalar? = nil) -> Int? {
        guard count >= digits + (separator == nil ? 0 : 1) else { return nil }
        var number = 0
        for _ in 0..<digits {
            guard let digit = popFirst(), UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        if let separator, popFirst() != UInt8(ascii: separator) { return nil }
        return number
    }

    /// Removes and returns the number before a separator, and removes the separator.
    fileprivate mutating func number(upTo separator: Unicode.Scalar) -> Int? {
        var number = 0
        while let digit = popFirst(), digit != UInt8(ascii: separator) {
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// Reads the remaining text as an offset from UTC, in seconds.
    fileprivate mutating func offset() -> Int? {
        let sign = popFirst()
        if sign == UInt8(ascii: "Z") { return isEmpty ? 0 : nil }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = number(2, then: ":"),
            let minutes = number(2), isEmpty, hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -offset : offset
    }
}

extension Date {
    /// The moment in UTC to the second, as in `2012-09-21 01:31:38`.
    var universalText: String {
        formatted(.iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
    }
}

/// A cache of locales by identifier, because creating a locale dominates the cost of reading a price.
enum Locales {
    private static let known = Locked<[String: Locale]>([:])
    private static let limit = 1024

    static func locale(_ identifier: String) -> Locale {
        known.withLock { known in
            if let locale = known[identifier] { return locale }
            let locale = Locale(identifier: identifier)
            if known.count >= limit { known.removeAll() }
            known[identifier] = locale
            return locale
        }
    }
}
