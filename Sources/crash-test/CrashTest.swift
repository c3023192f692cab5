import Foundation
import StoreSQLite

/// A program that kills an app again and again while it buys, finishes and restores on a store in a file, and checks
/// each time whether the file agrees with what the app had been told.
///
///     crash-test [--deaths 2000] [--seed N] [--lane caller|background|both] [--road direct|socket|both]
///
/// With both lanes, the default, apps on the one and on the other take turns on each file; and so with both roads, on
/// which queues ask their store directly or reach it through the socket only.
///
/// Exit codes: 0 all agreed, 1 something did not, 2 a mistake in the arguments.
@main enum CrashTest {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.count == 5, arguments[0] == "live", let seed = UInt64(arguments[2]),
                let lane = App.Lane(rawValue: arguments[3]), let road = App.Road(rawValue: arguments[4])
            {
                let setup = App.Setup(lane: lane, road: road)
                try App(URL(fileURLWithPath: arguments[1]), seed: seed, setup: setup).live()
            }
            let options = try Options(arguments)
            try CrashRunner(options).run()
        } catch let mistake as Options.Mistake {
            complain(mistake.description)
            exit(2)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    private static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("crash-test: \(line)\n".utf8))
    }
}

/// The program's options.
struct Options {
    var deaths = 2_000
    var seed = UInt64.random(in: 0...UInt64(Int64.max))
    var lanes = App.Lane.allCases
    var roads = App.Road.allCases
    /// The configurations of the apps, in turn.
    var setups: [App.Setup] { roads.flatMap { road in lanes.map { App.Setup(lane: $0, road: road) } } }

    struct Mistake: Error {
        let description: String
    }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--deaths": deaths = Int(clamping: try Self.number(rest.popFirst(), for: option))
            case "--seed": seed = try Self.number(rest.popFirst(), for: option)
            case "--lane": lanes = try Self.choice(rest.popFirst(), for: option)
            case "--road": roads = try Self.choice(rest.popFirst(), for: option)
            default:
                let options = "--deaths, --seed, --lane and --road"
                throw Mistake(description: "\(option) is not an option; there are \(options)")
            }
        }
    }

    private static func number(_ value: String?, for option: String) throws -> UInt64 {
        guard let number = value.flatMap({ UInt64($0) }) else {
            throw Mistake(description: "\(option) needs a number")
        }
        return number
    }

    /// Returns one of two values, or both.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: String?,
        for option: String
    ) throws -> [Choice] {
        let all = Array(Choice.allCases)
        if value == "both" { return all }
        guard let choice = value.flatMap({ Choice(rawValue: $0) }) else {
            let names = all.map(\.rawValue).joined(separator: ", ")
            throw Mistake(description: "\(option) is \(names) or both")
        }
        return [choice]
    }
}
