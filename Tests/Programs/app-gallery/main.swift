import AppGallery
import Foundation
import StoreSimulator

// app-gallery [--runs N] [--articles FOLDER] [NAME...]: simulates the gallery's faulty apps until the mistake of each shows, and
// the mended ones for N lives, 1,000 unless given, each of them once. Fails if a mistake does not show in 2,000 lives, takes more
// than 8 steps, or more than a tenth of its life on average, or is not in its section of the folder's articles on mistakes as it
// shows here; or if a mended app breaks a rule, with or without the quirks of real stores.
var runs = 1_000
var names: [String] = []
var sections: [String]?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--runs":
        guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
            end("--runs wants a number of lives, at least 1")
        }
        runs = number
    case "--articles":
        let folder = URL(filePath: arguments.popFirst() ?? "")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        let articles = files.filter { $0.lastPathComponent.hasPrefix("PurchaseMistakes") }
        if articles.isEmpty { end("--articles wants the folder of the articles on mistakes") }
        sections = try articles.flatMap {
            try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n### ").dropFirst()
        }
    default: names.append(argument)
    }
}

/// Ends the program because of its command line.
func end(_ mistake: String) -> Never {
    FileHandle.standardError.write(Data("\(mistake)\n".utf8))
    exit(2)
}

/// Prints a line at once, also into a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

for name in names where !Exhibit.all.contains(where: { $0.name.contains(name) }) {
    end("no exhibit has \(name) in its name")
}
var isRight = true
let clock = ContinuousClock()
var tried: Set<String> = []
var shares: [Double] = []
for exhibit in Exhibit.all where names.isEmpty || names.contains(where: { exhibit.name.contains($0) }) {
    let start = clock.now
    if let failure = try await exhibit.failure() {
        say(
            "\(exhibit.name): \(failure.steps.count) of \(failure.drawn) steps, seed \(failure.seed), \(clock.now - start)"
        )
        say("    \(failure.sentence)")
        let steps = failure.steps.map(\.description).joined(separator: ", ")
        say("    \(steps)")
        if failure.steps.count > 8 { isRight = false }
        if let sections {
            // A run that is too long for a line is shown on several, and each Store Kit has sections of its own.
            let forms = [
                "\(failure.sentence)\n.run(seed: \(failure.seed), steps: [\(steps)])",
                "\(failure.sentence)\n\(failure.source)",
            ]
            let own = sections.filter { $0.hasPrefix("\(exhibit.name)\n\n> \(exhibit.complaint)\n") }
            if !own.contains(where: { section in forms.contains { section.contains($0) } }) {
                say("    NOT IN ITS SECTION:\n\(forms[0])")
                isRight = false
            }
        }
        shares.append(Double(failure.steps.count) / Double(failure.drawn))
    } else {
        say("\(exhibit.name): not found in 2,000 lives, \(clock.now - start)")
        isRight = false
    }
    guard tried.insert(exhibit.mendedApp).inserted else { continue }
    do {
        let start = clock.now
        let report = try await exhibit.report(runs: runs)
        say("    mended: \(report.runs) lives, \(report.steps) steps, \(clock.now - start)")
        let quirky = try await exhibit.report(runs: runs, drawsQuirks: true)
        say("    on a store with quirks: \(quirky.runs) lives, \(quirky.count(of: .quirk)) quirks")
    } catch {
        say("    MENDED, BUT: \(error)")
        isRight = false
    }
}
if !shares.isEmpty {
    let share = shares.reduce(0, +) / Double(shares.count)
    say("a mistake takes \((share * 1_000).rounded() / 10) % of the steps of its life")
    if share > 0.1 { isRight = false }
}
exit(isRight ? 0 : 1)
