import Foundation
import StoreSQLite

/// Kills an app again and again while it buys, finishes and restores on a store in a file, and looks each time whether
/// the file agrees with what the app had been told.
///
///     store-deaths [--deaths 2000] [--seed N]
///
/// Exit codes: 0 all agreed, 1 something did not, 2 a mistake in the arguments.
@main enum StoreDeaths {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.count == 3, arguments[0] == "live", let seed = UInt64(arguments[2]) {
                try App(URL(fileURLWithPath: arguments[1]), seed: seed).live()
            }
            let options = try Options(arguments)
            try Killer(options).run()
        } catch let mistake as Options.Mistake {
            complain(mistake.description)
            exit(2)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("store-deaths: \(line)\n".utf8))
    }
}

/// What the program is to do.
struct Options {
    var deaths = 2_000
    var seed = UInt64.random(in: 0...UInt64(Int64.max))

    struct Mistake: Error {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst(), let number = UInt64(value) else {
                throw Mistake(description: "\(option) needs a number")
            }
            switch option {
            case "--deaths": deaths = Int(clamping: number)
            case "--seed": seed = number
            default: throw Mistake(description: "\(option) is not an option; there are --deaths and --seed")
            }
        }
    }
}
