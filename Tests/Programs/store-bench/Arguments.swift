/// The arguments of the command line.
struct Arguments {
    /// An error in a command line.
    struct Wrong: Error {
        let sentence: String
    }

    /// The task to perform; the last four are for processes that this program starts itself.
    enum Task {
        case list
        case measure([Figure])
        /// A piece of work, a number of times, and nothing else, for a program that counts instructions.
        case count(Counted, times: Int)
        case outcome(Figure)
        case sample(Figure, Side)
        case growth(Growth, size: Int)
        /// A process with a store in PostgreSQL: its role, the settings of the connection, and the store's name.
        case shop([String])
    }

    static let fewestRounds = 7

    private(set) var task: Task
    private(set) var isJSON = false
    private(set) var isGrowth = false
    /// The file of the chart.
    private(set) var chart: String?
    /// The file of the overview, which is of its own figures unless others are named.
    private(set) var overview: String?
    private(set) var rounds = fewestRounds

    init(_ words: some Sequence<String>) throws {
        var figures: [Figure] = []
        var isList = false
        var isChild = false
        var side: Side?
        var counted: Counted?
        var times = 1
        var size: Int?
        var shop: [String]?
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--json": isJSON = true
            case "--growth": isGrowth = true
            case "--svg": chart = try Self.file(words.next(), after: word)
            case "--overview": overview = try Self.file(words.next(), after: word)
            case "--list": isList = true
            case "--rounds": rounds = try Self.rounds(words.next())
            case "--count": counted = try Self.counted(words.next())
            case "--times": times = try Self.times(words.next())
            case "--size": size = words.next().flatMap { Int($0) }
            case "--child": isChild = true
            case "--shop": shop = (0..<3).compactMap { _ in words.next() }
            case "--sample": side = words.next().flatMap(Side.init)
            case _ where word.hasPrefix("-"): throw Wrong(sentence: "There is no option \(word). \(Self.usage)")
            default: figures.append(try Self.figure(word))
            }
        }
        if isList {
            task = .list
        } else if let shop {
            task = .shop(shop)
        } else if let counted {
            task = .count(counted, times: times)
        } else if isChild, let size, let growth = figures.first?.growth {
            task = .growth(growth, size: size)
        } else if isChild, let figure = figures.first {
            task = if let side { .sample(figure, side) } else { .outcome(figure) }
        } else {
            task = .measure(figures.isEmpty ? (overview == nil ? Figure.all : Overview.figures) : figures)
        }
    }

    private static let usage =
        "Usage: store-bench [--json] [--svg FILE] [--overview FILE] [--growth] [--list] [--rounds N] [FIGURE...]"

    private static func file(_ word: String?, after option: String) throws -> String {
        guard let word, !word.isEmpty, !word.hasPrefix("-") else {
            throw Wrong(sentence: "\(option) takes the name of the file to write.")
        }
        return word
    }

    private static func rounds(_ word: String?) throws -> Int {
        guard let count = word.flatMap({ Int($0) }), count >= fewestRounds else {
            throw Wrong(sentence: "--rounds takes a whole number, \(fewestRounds) or more.")
        }
        return count
    }

    private static func counted(_ name: String?) throws -> Counted {
        guard let counted = Counted.all.first(where: { $0.name == name }) else {
            throw Wrong(sentence: "--count takes one of \(Counted.all.map(\.name).joined(separator: ", ")).")
        }
        return counted
    }

    private static func times(_ word: String?) throws -> Int {
        guard let count = word.flatMap({ Int($0) }), count > 0 else {
            throw Wrong(sentence: "--times takes a whole number, 1 or more.")
        }
        return count
    }

    private static func figure(_ name: String) throws -> Figure {
        guard let figure = Figure.all.first(where: { $0.name == name }) else {
            throw Wrong(sentence: "There is no figure \(name); --list names them all.")
        }
        return figure
    }
}
