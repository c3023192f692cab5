import Foundation
import StoreCore

/// The tool's input and output.
struct Console: Sendable {
    /// Writes text to standard output.
    let write: @Sendable (String) -> Void
    /// Writes text to standard error.
    let complain: @Sendable (String) -> Void
    /// Reads a line of standard input without its end; nil at the end of input.
    ///
    /// Afterwards the line is on the screen.
    let read: @Sendable () -> String?
    /// Whether a line that was written to standard error can be erased.
    let isTerminal: Bool
    /// Whether standard output may have colors.
    var hasColors = false
    /// Returns the first error of ``write``, after which the output is incomplete; nil for none.
    var outputError: @Sendable () -> (any Error)? = { nil }

    /// The process's own console.
    static let standard: Console = {
        let firstError = Locked<(any Error)?>(nil)
        // Not `print`, which is buffered: a question has to be on the screen before its answer is read.
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
                // Typed text shows on the screen by itself; text from a pipe does not.
                if let line, isatty(FileHandle.standardInput.fileDescriptor) == 0 { write("\(line)\n") }
                return line
            },
            isTerminal: isatty(FileHandle.standardError.fileDescriptor) != 0
                && ProcessInfo.processInfo.environment["TERM"] != "dumb",
            hasColors: colors(ProcessInfo.processInfo.environment)
                && isatty(FileHandle.standardOutput.fileDescriptor) != 0,
            outputError: { firstError.withLock { $0 } }
        )
    }()

    /// Whether an environment allows colors on a terminal: not with `NO_COLOR`, see no-color.org.
    static func colors(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM", default: "dumb"] != "dumb"
    }

    /// The purpose of emphasized text.
    enum Emphasis: String {
        /// Bold.
        case heading = "1"
        /// Bold and red.
        case failure = "1;31"
    }

    /// Returns a text emphasized for a terminal with colors, or unchanged.
    func emphasized(_ text: String, as emphasis: Emphasis) -> String {
        hasColors ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// The formats of prices, times and numbers.
enum Wording {
    /// Returns a price as its buyer reads it.
    ///
    /// - Parameters:
    ///   - amount: the exact amount.
    ///   - locale: a product's `priceLocale`.
    /// - Returns: the formatted price, as in `$0.99`.
    static func price(_ amount: NSDecimalNumber, in locale: Locale) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = locale
        return formatter.string(from: amount) ?? "\(amount)"
    }

    /// Returns a length of time; the unit may be any of Store Kit's or of the store's, which have the same names.
    static func time(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String { Self.count(count, "\(unit)") }

    /// Returns a recurring interval.
    static func every(_ count: Int, _ unit: StoreProduct.Period.Unit) -> String {
        count == 1 ? "every \(unit)" : "every \(time(count, unit))"
    }

    /// Returns a number with a noun.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Returns a date to the second, in UTC.
    static func moment(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension String {
    /// The text with its control characters escaped, except line breaks, so that no name in it controls a terminal.
    var printable: String {
        let isEscaped = { (scalar: Unicode.Scalar) in scalar.isControl && scalar != "\n" }
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        return unicodeScalars.map { isEscaped($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// Returns the text padded with spaces to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Unicode.Scalar {
    /// Whether it ends a line or controls a terminal.
    var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }
}
