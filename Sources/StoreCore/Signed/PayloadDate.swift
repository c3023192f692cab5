import Foundation

/// A date in a signed payload: a whole number of milliseconds since 1970.
public struct PayloadDate: Hashable, Sendable {
    /// The milliseconds since the beginning of 1970, UTC.
    public let milliseconds: Int64

    /// The date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Creates a date from its milliseconds.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a date, rounded to the nearest millisecond.
    ///
    /// A date outside the range of ``milliseconds`` is clamped to it. A date that is not a number becomes the greatest one.
    public init(_ date: Date) {
        // A date that is further away than all milliseconds is as far away as they reach.
        let nearest = (date.timeIntervalSince1970 * 1000).rounded()
        milliseconds = Int64(exactly: nearest) ?? (nearest < 0 ? .min : .max)
    }
}

extension PayloadDate: Comparable {
    /// Returns whether the first date is earlier.
    public static func < (left: PayloadDate, right: PayloadDate) -> Bool { left.milliseconds < right.milliseconds }
}

extension PayloadDate: Codable {
    /// Decodes a number of milliseconds; Xcode's have fractions, which are rounded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let milliseconds = try? container.decode(Int64.self) {
            self.init(milliseconds: milliseconds)
            return
        }
        guard let milliseconds = Int64(exactly: try container.decode(Double.self).rounded()) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The date is out of range.")
        }
        self.init(milliseconds: milliseconds)
    }

    /// Encodes the whole number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
