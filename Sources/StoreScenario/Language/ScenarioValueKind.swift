import Foundation
import StoreCore

/// The kind of a word in a command, which determines its valid values.
package enum ScenarioValueKind: Hashable, Sendable {
    /// The identifier of a product.
    case product
    /// The name of an account.
    case account
    /// The name of a device.
    case device
    /// The name of a family.
    case family
    /// The identifier of a subscription group to which the account has subscribed.
    case subscriptionGroup
    /// A transaction: its identifier, or `first` or `last` among those on which the command can act.
    case transaction(ScenarioTransactions)
    /// A length of time, as in `1mo`.
    case duration
    /// A moment in UTC, as in `2025-02-01T00:00:00Z`.
    case moment
    /// A whole number in a range.
    case number(ClosedRange<Int>)
    /// A price, as in `4.99`.
    case price
    /// A country, ISO 3166-1 alpha-3.
    case country
    /// A failure: the name of a code of `SKError` or `URLError`.
    case failure
    /// Quirks of the store, separated by commas: as in `lists-late`, or of a system, or `all`.
    case quirks
    /// One of the given words.
    case choice([String])
    /// One of the given words, or a value of another kind.
    indirect case either([String], ScenarioValueKind)
    /// Any text.
    case text

    /// `on` or `off`.
    static let toggle = choice(["on", "off"])

    /// The valid words if they are the same for every store and can be listed; otherwise empty.
    package var words: [String] {
        switch self {
        case .choice(let words): words
        case .either(let words, let kind): words + kind.words
        case .transaction: ["last", "first"]
        case .failure: StoreFailure.words
        case .quirks: QuirkNames.all + ["all"]
        default: []
        }
    }

    /// The description of a value, as in `a length of time as in 1mo, 7d or 12h`.
    package var sentence: String {
        switch self {
        case .product: "a product"
        case .account: "an account"
        case .device: "a device"
        case .family: "a family"
        case .subscriptionGroup: "a subscription group"
        case .transaction: "a transaction: its number, first or last"
        case .duration: "a length of time as in 1y, 1mo, 2w, 7d, 12h, 5min or 30s"
        case .moment: "a moment as in 2025-02-01T00:00:00Z"
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .price: "a price as in 4.99"
        case .country: "a country's three letters as in USA"
        case .failure: "the name of a failure as in paymentInvalid or timedOut"
        case .quirks:
            "quirks as in lists-late or lists-late=0.5,notifies-twice, those of a system as in macos-26.6, or all"
        case .choice(let words): Self.list(words)
        case .either(let words, let kind): "\(words.joined(separator: ", ")) or \(kind.sentence)"
        case .text: "a text"
        }
    }

    /// Throws an error if a word cannot be of this kind in any store.
    func check(_ word: Word) throws(ScenarioError) {
        guard !accepts(word.text) else { return }
        if case .quirks = self, let part = Self.quirkNames(word.text).first(where: { !Self.isQuirk($0) }) {
            let defect = QuirkNames.defect(of: part)
            let found = Word(text: defect.word, column: word.column)
            throw ScenarioError(found, defect.reason, among: words, else: defect.advice)
        }
        if case .duration = self, ScenarioDuration.hasTooLongPart(word.text) {
            throw ScenarioError(word, "is too long: the number before a unit is at most \(ScenarioDuration.limit)")
        }
        throw ScenarioError(word, "is not \(sentence)", among: words, else: advice)
    }

    /// The end of a sentence about an invalid word, with the valid words that ``sentence`` does not list.
    private var advice: String {
        switch self {
        case .failure: "; the names are \(words.joined(separator: ", "))"
        case .price: ", of at most 9 digits before the point and 3 behind it"
        case .either(_, let kind): kind.advice
        default: ""
        }
    }

    private func accepts(_ text: String) -> Bool {
        switch self {
        case .product, .account, .device, .family, .subscriptionGroup: !text.isEmpty
        case .transaction: TransactionReference(text) != nil
        case .duration: ScenarioDuration(text) != nil
        case .moment: Date(moment: text) != nil
        case .number(let range): Int(text).map(range.contains) ?? false
        case .price: text.wholeMatch(of: /[0-9]{1,9}(\.[0-9]{1,4})?/) != nil
        case .country: text.wholeMatch(of: /[A-Z]{3}/) != nil
        case .failure: StoreFailure(word: text) != nil
        case .quirks: Self.quirkNames(text).allSatisfy(Self.isQuirk)
        case .choice(let words): words.contains(text)
        case .either(let words, let kind): words.contains(text) || kind.accepts(text)
        case .text: true
        }
    }

    private static func quirkNames(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isQuirk(_ name: String) -> Bool { name == "all" || QuirkNames.quirks(named: name) != nil }

    private static func list(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }
}

/// A length of time as a scenario writes it: `1y`, `1mo`, `2w`, `7d`, `12h`, `5min` or `30s`, or several in one word.
///
/// Years and months are those of the calendar in UTC, so their length depends on when they begin.
struct ScenarioDuration: Sendable {
    private enum Unit: String, CaseIterable {
        case year = "y"
        case month = "mo"
        case week = "w"
        case day = "d"
        case hour = "h"
        case minute = "min"
        case second = "s"
    }

    private let parts: [(count: Int, unit: Unit)]

    /// The greatest number that may precede a unit.
    static let limit = 100_000

    /// Returns whether a word has the form of a length of time, with a number above ``limit``.
    static func hasTooLongPart(_ text: String) -> Bool {
        text.wholeMatch(of: /([0-9]+(y|mo|w|d|h|min|s))+/) != nil && ScenarioDuration(text) == nil
    }

    /// Parses a word; nil if it is not a length of time.
    init?(_ text: String) {
        var parts: [(Int, Unit)] = []
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let letters = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard let count = Int(digits), count <= Self.limit, let unit = Unit(rawValue: String(letters)) else {
                return nil
            }
            parts.append((count, unit))
            rest = rest[letters.endIndex...]
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    /// Returns the moment at which the length of time ends.
    func end(from start: Date) -> Date {
        parts.reduce(start) { start, part in
            switch part.unit {
            case .year: Self.calendar(.init(part.count, .year), start)
            case .month: Self.calendar(.init(part.count, .month), start)
            case .week: start + Double(part.count) * 604_800
            case .day: start + Double(part.count) * 86_400
            case .hour: start + Double(part.count) * 3_600
            case .minute: start + Double(part.count) * 60
            case .second: start + Double(part.count)
            }
        }
    }

    private static func calendar(_ period: StoreProduct.Period, _ start: Date) -> Date {
        period.count == 0 ? start : RenewalRate.realTime.end(of: period, from: start)
    }
}

/// The set of transactions among which `first` and `last` choose.
package enum ScenarioTransactions: String, Hashable, Sendable {
    /// Every transaction.
    case all
    /// Purchases and renewals that were sold and are not refunded.
    case sold
    /// Purchases that wait for a decision.
    case undecided
    /// Purchases that were interrupted and wait to be resolved.
    case interrupted
    /// Refunded transactions.
    case refunded
    /// Transactions with a refund request that is not decided yet.
    case refundRequests
    /// Transactions that the app has not finished, without those that wait for a decision.
    case unfinished
}

/// A reference to a transaction in a scenario: its identifier, or its position among those on which a command can act.
enum TransactionReference: Hashable {
    case identifier(String)
    case first
    case last
    /// The transaction at a position, as in `any-3`; positions begin at 0 and wrap around after the last transaction.
    case any(Int)

    init?(_ text: String) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        default:
            if text.hasPrefix("any-"), let place = Int(text.dropFirst(4)), place >= 0 {
                self = .any(place)
            } else if !text.isEmpty, text.count <= 19, text.allSatisfy({ $0.isASCII && $0.isNumber }) {
                self = .identifier(text)
            } else {
                return nil
            }
        }
    }
}

extension Date {
    /// Creates a date from a text such as `2025-02-01T00:00:00Z`; nil for any other text, and for a day or a time that the
    /// calendar does not have.
    package init?(moment text: String) {
        // A parser takes the 31st of February for a day of March.
        let local = text.prefix(19)
        guard let date = try? Date(text, strategy: .iso8601),
            (try? Date("\(local)Z", strategy: .iso8601))?.formatted(.iso8601).hasPrefix(local) == true
        else { return nil }
        self = date
    }
}
