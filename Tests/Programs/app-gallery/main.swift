import AppGallery
import Foundation
import StoreSimulator

// app-gallery [--runs N] [NAME...]: simulates the gallery's faulty apps until the mistake of each shows, and the mended ones
// for N lives, 1,000 unless given, each of them once. Fails if a mistake does not show in 2,000 lives, or takes more than 8
// steps, or more than a tenth of its life on average, or if a mended app breaks a rule.
var runs = 1_000
var names: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    guard argument == "--runs" else {
        names.append(argument)
        continue
    }
    guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else {
        FileHandle.standardError.write(Data("--runs wants a number of lives, at least 1\n".utf8))
        exit(2)
    }
    runs = number
}

/// Prints a line at once, also into a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

for name in names where !Exhibit.all.contains(where: { $0.name.contains(name) }) {
    FileHandle.standardError.write(Data("no exhibit has \(name) in its name\n".utf8))
    exit(2)
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
        say("    \(failure.steps.map(\.description).joined(separator: ", "))")
        if failure.steps.count > 8 { isRight = false }
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
