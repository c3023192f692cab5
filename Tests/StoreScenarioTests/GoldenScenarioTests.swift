import Foundation
import StoreScenario
import TestSupport
import Testing

/// Scenarios that each version performed, with the answers in JSON that did not differ from run to run.
///
/// A file's name has the day. An answer follows its line behind a tab; long ones are left out. `GOLDEN=1 swift test --filter
/// Golden` writes a file of today.
@Suite struct GoldenScenarioTests {
    private static let golden = GoldenFolder()
    private static let names = golden.names("scenario-", ".txt")

    @Test(arguments: names) func `What was performed is performed still, and answered with no less`(name: String) throws
    {
        let shop = try Shop()
        var (answer, line) = ("", "")
        for text in try Self.golden.lines("\(name).txt") {
            if text.hasPrefix("\t") {
                let loss = try KeptJSON.loss(of: Data(text.dropFirst().utf8), in: Data(answer.utf8))
                #expect(loss == nil, "\(line): \(loss ?? "")")
            } else {
                line = text
                answer = try shop.performer.perform(text).json
            }
        }
    }

    @Test func `Each command is in a file`() throws {
        let lines = try Self.names.flatMap { try Self.golden.lines("\($0).txt") }.filter { !$0.hasPrefix("\t") }
        let performed = try Set(lines.map { try ScenarioStep($0).command.name })
        let missing = Set(ScenarioCommand.all.map(\.name)).subtracting(performed)
        #expect(missing.isEmpty, "write them: GOLDEN=1 swift test --filter Golden")
    }

    @Test(.writesGolden) func `Today's answers are written`() throws {
        let shops = [try Shop(), try Shop()]
        var text = ""
        for (line, _) in EveryCommandTests.lines {
            let answers = try shops.map { Data(try $0.performer.perform(line).json.utf8) }
            let common = String(decoding: try KeptJSON.common(answers[0], answers[1]), as: UTF8.self)
            text += common.utf8.count <= 1500 ? "\(line)\n\t\(common)\n" : "\(line)\n"
        }
        try Self.golden.write(text, to: "scenario-\(GoldenFolder.today).txt")
    }
}
