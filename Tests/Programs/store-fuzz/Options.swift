import Foundation

/// The program's options.
struct Options {
    /// An error in a command line.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    let target: TargetName
    private(set) var seconds = 20
    private(set) var seed: UInt32 = 1
    private(set) var folder = Folder(url: URL(fileURLWithPath: ".build-fuzz/store-fuzz"))
    /// Inputs to read once each.
    private(set) var files: [String] = []

    init(_ words: some Sequence<String>) throws(Mistake) {
        var rest = Array(words)[...]
        guard let target = rest.popFirst().flatMap(TargetName.init) else {
            throw Mistake(description: "name a target: \(TargetName.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.target = target
        while let word = rest.popFirst() {
            switch word {
            case "--seconds": seconds = try Self.number(rest.popFirst(), for: word)
            case "--seed": seed = try Self.number(rest.popFirst(), for: word)
            case "--folder": folder = Folder(url: URL(fileURLWithPath: rest.popFirst() ?? "."))
            case _ where word.hasPrefix("-"):
                throw Mistake(description: "\(word) is not an option; there are --seconds, --seed and --folder")
            default: files.append(word)
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ word: String?,
        for option: String
    ) throws(Mistake) -> Number {
        guard let number = word.flatMap({ Number($0) }), number > 0 else {
            throw Mistake(description: "\(option) needs a whole number, 1 or more")
        }
        return number
    }
}
