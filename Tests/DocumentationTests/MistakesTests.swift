import AppGallery
import Foundation
import StoreSimulator
import Testing

/// The articles on mistakes show what the gallery's simulations find.
@Suite struct MistakesTests {
    private static let articles = Document.paths(under: "Sources/StoreCore/StoreCore.docc", endingIn: ".md")
        .filter { $0.contains("/PurchaseMistakes") }

    @Test(arguments: Exhibit.all) func `A mistake shows in a few steps, which its article has`(
        exhibit: Exhibit
    ) async throws {
        let failure = try #require(try await exhibit.failure(runs: 2_000))
        #expect(failure.steps.count <= 8)
        let steps = failure.steps.map(\.description).joined(separator: ", ")
        let run = "\(failure.sentence)\n.run(seed: \(failure.seed), steps: [\(steps)])"
        // A run that is too long for a line stands in several.
        let long = "\(failure.sentence)\n\(failure.source)"
        // Each face of Store Kit has a section of this name.
        let sections = try Self.sections().filter { $0.hasPrefix("\(exhibit.name)\n\n> \(exhibit.complaint)\n") }
        #expect(sections.contains { $0.contains(run) || $0.contains(long) }, "its section has not this:\n\(run)")
    }

    @Test func `The articles have the gallery's mistakes, and no others`() throws {
        let headings = try Self.sections().compactMap { $0.split(separator: "\n").first.map(String.init) }
        #expect(headings.sorted() == Exhibit.all.map(\.name).sorted())
    }

    /// The sections of all articles, each beginning with its heading.
    private static func sections() throws -> [String] {
        try articles.flatMap { try Document.text($0).components(separatedBy: "\n### ").dropFirst() }
    }
}
