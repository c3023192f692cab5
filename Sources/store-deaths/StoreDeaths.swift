import Foundation
import StoreSQLite

/// Kills an app again and again while it buys, finishes and restores on a store in a file, and looks each time whether
/// the file agrees with what the app had been told.
///
///     store-deaths [--deaths 2000] [--seed N] [--lane caller|background|both]
///
/// With both lanes, the default, apps on the one and on the other take turns on each file.
///
/// Exit codes: 0 all agreed, 1 something did not, 2 a mistake in the arguments.
@main enum StoreDeaths {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.count == 4, arguments[0] == "live", let seed = UInt64(arguments[2]),
                let setup = App.Setup(rawValue: arguments[3])
            {
                try App(URL(fileURLWithPath: arguments[1]), seed: seed, setup: setup).live()
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
    /// How the apps are set up, in turn.
    var setups = App.Setup.allCases

    struct Mistake: Error {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--deaths": deaths = Int(clamping: try Self.number(rest.popFirst(), for: option))
            case "--seed": seed = try Self.number(rest.popFirst(), for: option)
            case "--lane": setups = try Self.setups(rest.popFirst())
            default: throw Mistake(description: "\(option) is not an option; there are --deaths, --seed and --lane")
            }
        }
    }

    private static func number(_ value: String?, for option: String) throws -> UInt64 {
        guard let number = value.flatMap({ UInt64($0) }) else {
            throw Mistake(description: "\(option) needs a number")
        }
        return number
    }

    private static func setups(_ value: String?) throws -> [App.Setup] {
        if value == "both" { return App.Setup.allCases }
        guard let setup = value.flatMap({ App.Setup(rawValue: $0) }) else {
            throw Mistake(description: "--lane is caller, background or both")
        }
        return [setup]
    }
}
