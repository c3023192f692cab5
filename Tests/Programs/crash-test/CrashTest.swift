import Foundation
import StoreSQLite

/// A program that kills an app again and again while it buys, finishes and restores on a store in a file, and checks
/// each time whether the file agrees with what the app had been told.
///
///     crash-test [--crashes 2000] [--seed N] [--lane caller|background|both] [--transport direct|socket|both]
///         [--face storekit1|storekit2|both]
///
/// With both lanes, the default, apps on the one and on the other take turns on each file; and so with both transports,
/// on which queues ask their store directly or reach it through the socket only; and with both faces. Store Kit 2 in StoreCore's
/// default configuration is `--face storekit2 --lane background --transport direct`.
///
/// Exit codes: 0 all agreed, 1 something did not, 2 a mistake in the arguments.
@main enum CrashTest {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.count == 6, arguments[0] == "run", let seed = UInt64(arguments[2]),
                let lane = App.Lane(rawValue: arguments[3]), let transport = App.Transport(rawValue: arguments[4]),
                let face = App.Face(rawValue: arguments[5])
            {
                let setup = App.Setup(lane: lane, transport: transport, face: face)
                let file = URL(fileURLWithPath: arguments[1])
                switch face {
                case .storekit1: try App(file, seed: seed, setup: setup).run()
                case .storekit2: try AsyncApp.run(file, seed: seed, setup: setup)
                }
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
