import Foundation
import StoreCore
import StoreScenario

/// The tool's input and output.
struct Console: Sendable {
    /// Writes text to standard output.
    let write: @Sendable (String) -> Void
    /// Writes text to standard error.
    let complain: @Sendable (String) -> Void
    /// Reads a line of standard input without its line break; nil at the end.
    ///
    /// Prints the line if no terminal echoes it.
    let read: @Sendable () -> String?
    /// Whether standard error is a terminal, on which a line can be erased.
    let isTerminal: Bool
    /// Whether standard output is a terminal with colors.
    var hasColors = false
    /// The number of columns of the terminal that shows standard output; nil if none does.
    var width: Int?
    /// Returns the first error of ``write``; nil if the output is complete.
    var outputError: @Sendable () -> (any Error)? = { nil }

    /// The console of the process.
    static let standard: Console = {
        let firstError = Locked<(any Error)?>(nil)
        // Does not use `print`, whose buffer would hold back a question until after its answer.
        let write: @Sendable (String) -> Void = { text in
            do {
                try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            } catch {
                firstError.withLock { $0 = $0 ?? error }
            }
        }
        return Console(
            write: write,
            complain: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
            read: {
                let line = readLine()
                // A terminal echoes its input; a pipe does not.
                if let line, isatty(FileHandle.standardInput.fileDescriptor) == 0 { write("\(line)\n") }
                return line
            },
            isTerminal: isatty(FileHandle.standardError.fileDescriptor) != 0
                && ProcessInfo.processInfo.environment["TERM"] != "dumb",
            hasColors: colors(ProcessInfo.processInfo.environment)
                && isatty(FileHandle.standardOutput.fileDescriptor) != 0,
            width: width(ProcessInfo.processInfo.environment, of: FileHandle.standardOutput.fileDescriptor),
            outputError: { firstError.withLock { $0 } }
        )
    }()

    /// Returns the number of columns of a terminal: `COLUMNS` of an environment, or else what the terminal says.
    ///
    /// - Returns: the number; nil if the descriptor is not one of a terminal, or the number is not known.
    static func width(_ environment: [String: String], of descriptor: Int32) -> Int? {
        guard isatty(descriptor) != 0 else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Returns whether an environment allows colors on a terminal (see no-color.org).
    static func colors(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM", default: "dumb"] != "dumb"
    }

    /// The purpose of an emphasis.
    enum Emphasis: String {
        /// Bold.
        case heading = "1"
        /// Bold and red.
        case failure = "1;31"
        /// Cyan.
        case label = "36"
    }

    /// Returns a text with the control sequences of an emphasis, or unchanged if there are no colors.
    func emphasized(_ text: String, as emphasis: Emphasis) -> String {
        hasColors ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Formats of prices, times and numbers.
enum Wording {
    /// Returns a price in the format of the buyer's locale.
    ///
    /// - Parameters:
    ///   - amount: the exact amount.
    ///   - locale: the `priceLocale` of the product.
    /// - Returns: the price, as in `$0.99`.
    static func price(_ amount: NSDecimalNumber, in locale: Locale) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = locale
        return formatter.string(from: amount) ?? "\(amount)"
    }

    /// Returns a length of time, as in `3 months`.
    static func time(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String { Self.count(count, "\(unit)") }

    /// Returns an interval, as in `every 3 months`.
    static func every(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String {
        count == 1 ? "every \(unit)" : "every \(time(count, unit))"
    }

    /// Returns a number with a noun in the singular or plural.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Returns a date in UTC, as in `2025-01-01T00:00:00Z`.
    static func moment(_ date: Date) -> String { date.formatted(.iso8601) }

    /// Parses a date in the years 1 to 9999, the range of dates in responses; nil for any other text.
    static func moment(_ text: String) -> Date? {
        guard let date = Date(moment: text) else { return nil }
        return (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970) ? date : nil
    }
}

extension String {
    /// The text with its control characters escaped, except line breaks, so it cannot control a terminal.
    var printable: String {
        let isEscaped = { (scalar: Unicode.Scalar) in scalar.isControl && scalar != "\n" }
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        return unicodeScalars.map { isEscaped($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// Returns the text, padded with spaces to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Unicode.Scalar {
    /// Whether the scalar ends a line or controls a terminal.
    var isControl: Bool { [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory) }
}
