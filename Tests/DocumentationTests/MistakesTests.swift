import AppGallery
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
        let texts = try Self.articles.map { try Document.text($0) }
        #expect(
            texts.contains {
                $0.contains("### \(exhibit.name)\n\n> \(exhibit.complaint)\n")
                    && ($0.contains(run) || $0.contains(long))
            },
            "no article has this:\n\(run)"
        )
    }
}
