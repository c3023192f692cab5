import Foundation

/// A moment as receipts write it, to the millisecond: as a number, and as text in two time zones.
struct ReceiptDate {
    /// Since 1970, rounded to the nearest.
    let milliseconds: Int64

    /// Throws for a date outside the years 1 to 9999, which four digits cannot show.
    init(_ date: Date) throws {
        let milliseconds = Self.milliseconds(of: date)
        guard milliseconds >= -62_135_596_800_000, milliseconds < 253_402_300_800_000 else {
            throw ReceiptError("A receipt's dates lie in the years 1 to 9999.")
        }
        self.milliseconds = Int64(milliseconds)
    }

    /// A date in the receipt's measure, however far away.
    static func milliseconds(of date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }

    private var seconds: Int { Int(floorDivide(milliseconds, by: 1000)) }

    /// The moment in UTC, as in `2012-09-21 01:31:38 Etc/GMT`.
    func writeUniversal(to text: inout [UInt8]) { Self.write(seconds, zone: "Etc/GMT", to: &text) }

    /// The moment in Los Angeles with its summer time, as in `2012-09-20 18:31:38 America/Los_Angeles`.
    func writePacific(to text: inout [UInt8]) {
        let offset = Self.losAngeles.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        Self.write(seconds + offset, zone: "America/Los_Angeles", to: &text)
    }

    // Foundation brings its own zone data along; a platform without any would have no receipts to write.
    private static let losAngeles = TimeZone(identifier: "America/Los_Angeles")!

    /// The moment in UTC as app receipts write it, as in `2012-09-21T01:31:38Z` (RFC 3339).
    var internet: String {
        var text: [UInt8] = []
        Self.write(seconds, zone: "", separators: ("T", "Z"), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func write(
        _ seconds: Int,
        zone: String,
        separators: (day: Unicode.Scalar, second: Unicode.Scalar) = (" ", " "),
        to text: inout [UInt8]
    ) {
        let days = floorDivide(seconds, by: 86_400)
        let second = seconds - days * 86_400
        let (year, month, day) = civil(daysSince1970: days)
        func append(_ number: Int, _ separator: Unicode.Scalar) {
            text.append(UInt8(48 + number / 10))
            text.append(UInt8(48 + number % 10))
            text.append(UInt8(ascii: separator))
        }
        text.append(UInt8(48 + year / 1000))
        text.append(UInt8(48 + year / 100 % 10))
        append(year % 100, "-")
        append(month, "-")
        append(day, separators.day)
        append(second / 3600, ":")
        append(second / 60 % 60, ":")
        append(second % 60, separators.second)
        text.append(contentsOf: zone.utf8)
    }

    /// The Gregorian day.
    ///
    /// Years are counted from March here, so that a leap day is the last of its year, of its four years, and of its
    /// 400.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        var rest = daysSince1970 + 719_468  // since 1 March of the year 0
        let cycles = floorDivide(rest, by: 146_097)
        rest -= cycles * 146_097
        let centuries = min(rest / 36_524, 3)
        rest -= centuries * 36_524
        let fours = rest / 1461
        rest -= fours * 1461
        let years = min(rest / 365, 3)
        rest -= years * 365
        var month = 3
        for length in [31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31] {
            guard rest >= length else { break }
            rest -= length
            month += 1
        }
        let year = cycles * 400 + centuries * 100 + fours * 4 + years
        return month > 12 ? (year + 1, month - 12, rest + 1) : (year, month, rest + 1)
    }
}

/// The quotient rounded down, also before 1970.
private func floorDivide<Number: FixedWidthInteger>(_ number: Number, by divisor: Number) -> Number {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
