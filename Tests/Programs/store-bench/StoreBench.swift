import Foundation
import PostgresCluster
import StoreCrypto
import StorePostgres
import StoreServer

/// `store-bench [--json] [--svg FILE] [--overview FILE] [--growth] [--list] [--rounds N] [FIGURE...]`: every figure
/// beside its floor, measured in the same run.
@main
enum StoreBench {
    @MainActor static func main() async {
        do {
            try await run(Arguments(CommandLine.arguments.dropFirst()))
        } catch let wrong as Arguments.Wrong {
            complain(wrong.sentence)
            exit(2)
        } catch {
            complain("\(error)")
            exit(1)
        }
    }

    @MainActor private static func run(_ arguments: Arguments) async throws {
        switch arguments.task {
        case .list: Report.list(Figure.all)
        case .measure(let figures):
            #if DEBUG
                complain(
                    "This is a debug build, as tests are; `swift run -c release store-bench` measures what it can do."
                )
            #endif
            if !Libcrypto.isAvailable { complain("There are no figures of signatures: \(Libcrypto.advice).") }
            if !MicroHTTPD.isAvailable { complain("There are no figures of servers: \(MicroHTTPD.advice).") }
            if !Postgres.isAvailable || !PostgresCluster.isAvailable {
                let advice = Postgres.isAvailable ? PostgresCluster.advice : Postgres.advice
                complain("There are no figures of PostgreSQL: \(advice).")
            }
            let report = Report(isJSON: arguments.isJSON)
            report.begin()
            var chart = Chart()
            var overview = Overview()
            // Before the first figure too: a file that cannot be written is known at once.
            try arguments.chart.map(chart.write)
            try arguments.overview.map(overview.write)
            for figure in figures {
                let outcome = try await ChildProcess.measure(figure, rounds: arguments.rounds)
                let growth = arguments.isGrowth ? try ChildProcess.measureGrowth(figure) : []
                report.add(figure, outcome, growth: growth)
                chart.rows.append(ChartRow(figure: figure, outcome: outcome, growth: growth))
                // After each figure: an interrupted run leaves the chart of what it has measured.
                try arguments.chart.map(chart.write)
                overview.outcomes[figure.name] = outcome
                try arguments.overview.map(overview.write)
            }
            if arguments.overview != nil, !arguments.isJSON { print(overview.sentences.joined(separator: "\n")) }
        case .count(let counted, let times): print(try await counted.prepare()(times))
        case .outcome(let figure):
            try ChildProcess.answer(await figure.withCases { try await Rounds(count: arguments.rounds).run($0) })
        case .sample(let figure, let side): try ChildProcess.answer(await figure.withCases { try await $0[side]() })
        case .growth(let growth, let size): try ChildProcess.answer(await growth.measure(size: size))
        case .shop(let words):
            #if canImport(CPostgres)
                guard words.count == 3, let role = PostgresShopProcess.Role(rawValue: words[0]) else {
                    throw Arguments.Wrong(sentence: "--shop is for the program itself.")
                }
                try PostgresShopProcess.run(role, words[1], words[2])
            #endif
        }
    }

    private static func complain(_ sentence: String) {
        FileHandle.standardError.write(Data("store-bench: \(sentence)\n".utf8))
    }
}
