import Foundation

/// A date in the formats of receipts: a number of milliseconds, and text in two time zones.
///
/// The texts are formatted by hand, because `ISO8601FormatStyle` takes 2.5 times as long: creating a transaction's
/// receipt would take 28 % longer, and an app receipt of 100 purchases 8 %.
package struct ReceiptDate {
    /// The milliseconds since 1970, rounded to the nearest integer.
    let milliseconds: Int64

    /// Creates a receipt's date; throws an error for a date outside the years 1 to 9999.
    init(_ date: Date) throws {
        let milliseconds = Self.milliseconds(of: date)
        guard milliseconds >= -62_135_596_800_000, milliseconds < 253_402_300_800_000 else {
            throw ReceiptError("A receipt's dates lie in the years 1 to 9999.")
        }
        self.milliseconds = Int64(milliseconds)
    }

    /// Returns a date in milliseconds since 1970; unlike the initializer, this accepts any date.
    static func milliseconds(of date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }

    // Foundation has its own time zone data. If a platform lacks it, receipts cannot be written there.
    private static let pacificZone = TimeZone(identifier: "America/Los_Angeles")!

    /// The offsets of Californian time from UTC that were used last, each for a stretch of 2²⁰ seconds, about twelve days.
    ///
    /// Asking Foundation for each date would be a twentieth of the time that a transaction's receipt takes.
    private static let pacificOffsets = Locked([(stretch: Int, offset: Int)](repeating: (.max, 0), count: 64))

    private static func pacificOffset(at seconds: Int) -> Int {
        func offset(at seconds: Int) -> Int {
            pacificZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        }
        let stretch = seconds >> 20
        let known = pacificOffsets.withLock { $0[stretch & 63] }
        if known.stretch == stretch { return known.offset }
        // There is at most one change in a stretch.
        let first = offset(at: stretch << 20)
        guard first == offset(at: (stretch + 1) << 20) else { return offset(at: seconds) }
        pacificOffsets.withLock { $0[stretch & 63] = (stretch, first) }
        return first
    }

    private var seconds: Int { Int(floorDivide(milliseconds, by: 1000)) }

    /// Adds a date's three fields in a verification response: in UTC, in milliseconds, and in Californian time.
    ///
    /// The milliseconds are those of whole seconds, as in app receipts, unless `isExact` is true.
    ///
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999.
    package static func add(
        _ date: Date,
        as name: String,
        isExact: Bool = false,
        to fields: inout [String: AnswerValue]
    ) throws {
        let date = try ReceiptDate(date)
        fields[name] = .text(date.universal)
        fields[name + "_ms"] = .text(String(isExact ? date.milliseconds : Int64(date.seconds) * 1000))
        fields[name + "_pst"] = .text(date.pacific)
    }

    /// Writes the date in UTC, as in `2012-09-21 01:31:38 Etc/GMT`.
    func writeUniversal(to text: inout ByteWriter) {
        text.append(atMost: Self.length) { Self.write(seconds, to: $0) }
        text.append("Etc/GMT")
    }

    /// Writes the date in Californian time, as in `2012-09-20 18:31:38 America/Los_Angeles`.
    func writePacific(to text: inout ByteWriter) {
        text.append(atMost: Self.length) { Self.write(seconds + Self.pacificOffset(at: seconds), to: $0) }
        text.append("America/Los_Angeles")
    }

    /// The date in UTC in the format of app receipts, as in `2012-09-21T01:31:38Z` (RFC 3339).
    var internet: String {
        String(unsafeUninitializedCapacity: Self.length) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return Self.write(seconds, separators: (UInt8(ascii: "T"), UInt8(ascii: "Z")), to: start)
        }
    }

    /// Writes the text of ``internet``.
    func writeInternet(to text: inout ByteWriter) {
        text.append(atMost: Self.length) {
            Self.write(seconds, separators: (UInt8(ascii: "T"), UInt8(ascii: "Z")), to: $0)
        }
    }

    /// Writes the milliseconds as a decimal number.
    func writeMilliseconds(to text: inout ByteWriter) { text.append(decimal: milliseconds) }

    /// The text that ``writeUniversal(to:)`` writes.
    var universal: String { Self.text(writeUniversal) }

    /// The text that ``writePacific(to:)`` writes.
    var pacific: String { Self.text(writePacific) }

    private static func text(_ write: (inout ByteWriter) -> Void) -> String {
        var text = ByteWriter(capacity: 40)
        write(&text)
        return text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The length in bytes of a date and a time, with a separator between them and another at the end.
    static let length = 20

    /// Writes a date and a time, and returns ``length``.
    @inline(__always)
    private static func write(
        _ seconds: Int,
        separators: (day: UInt8, second: UInt8) = (UInt8(ascii: " "), UInt8(ascii: " ")),
        to place: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let days = floorDivide(seconds, by: 86_400)
        let second = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        func put(_ number: Int, at offset: Int, _ separator: UInt8) {
            place[offset] = UInt8(truncatingIfNeeded: 48 + number / 10)
            place[offset + 1] = UInt8(truncatingIfNeeded: 48 + number % 10)
            place[offset + 2] = separator
        }
        place[0] = UInt8(truncatingIfNeeded: 48 + date.year / 1000)
        place[1] = UInt8(truncatingIfNeeded: 48 + date.year / 100 % 10)
        put(date.year % 100, at: 2, UInt8(ascii: "-"))
        put(date.month, at: 5, UInt8(ascii: "-"))
        put(date.day, at: 8, separators.day)
        put(second / 3600, at: 11, UInt8(ascii: ":"))
        put(second / 60 % 60, at: 14, UInt8(ascii: ":"))
        put(second % 60, at: 17, separators.second)
        return length
    }
}
