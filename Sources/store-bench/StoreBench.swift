import Foundation
import StoreCrypto
import StoreServer

/// `store-bench [--json] [--list] [--rounds N] [FIGURE...]`: every figure beside its floor, measured in the same run.
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
        case .list:
            Report.list(Figure.all)
        case .measure(let figures):
            #if DEBUG
                complain("This is a debug build; its figures say nothing. Use `swift run -c release store-bench`.")
            #endif
            if !Libcrypto.isAvailable { complain("There are no figures of signatures: \(Libcrypto.advice).") }
            if !MicroHTTPD.isAvailable { complain("There are no figures of servers: \(MicroHTTPD.advice).") }
            let report = Report(isJSON: arguments.isJSON)
            report.begin()
            for figure in figures {
                report.add(figure, try await ChildProcess.measure(figure, rounds: arguments.rounds))
            }
        case .purchases(let count, let side):
            _ = try PurchaseSync.sample(of: count, side)
        case .outcome(let figure):
            try ChildProcess.answer(await figure.withCases { try await Rounds(count: arguments.rounds).run($0) })
        case .sample(let figure, let side):
            try ChildProcess.answer(await figure.withCases { try await $0[side]() })
        }
    }

    private static func complain(_ sentence: String) {
        FileHandle.standardError.write(Data("store-bench: \(sentence)\n".utf8))
    }
}
