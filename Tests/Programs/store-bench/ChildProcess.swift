import Foundation

/// Fresh processes of this program, so that one measurement does not affect the next.
enum ChildProcess {
    /// A process that ended without an answer; it has printed the reason on standard error.
    struct Failed: Error, CustomStringConvertible {
        let figure: String
        var description: String { "\(figure) could not be measured." }
    }

    /// Measures a figure in the processes that its isolation requires.
    @MainActor static func measure(_ figure: Figure, rounds: Int) async throws -> Outcome {
        switch figure.isolation {
        case .figure: return try ask(figure, "--rounds", String(rounds))
        case .sample:
            let cases = Cases(
                floor: { try ask(figure, "--sample", Side.floor.rawValue) },
                value: { try ask(figure, "--sample", Side.value.rawValue) }
            )
            return try await Rounds(count: rounds).run(cases)
        }
    }

    /// Measures how a figure grows, each size in its own process; returns no points for a figure without a size.
    static func measureGrowth(_ figure: Figure) throws -> [Growth.Point] {
        try (figure.growth?.sizes ?? []).map { try ask(figure, "--size", String($0)) }
    }

    /// Sends a result to the parent process.
    static func answer(_ result: some Encodable) throws {
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    private static func ask<Answer: Decodable>(_ figure: Figure, _ options: String...) throws -> Answer {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--child", figure.name] + options
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failed(figure: figure.name)
        }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}
