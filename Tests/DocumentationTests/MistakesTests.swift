import AppGallery
import Foundation
import StoreSimulator
import Testing

/// The articles on mistakes show the gallery's.
///
/// What its simulations find, `app-gallery --articles` looks up there.
@Suite struct MistakesTests {
    private static let articles = Document.paths(under: "Sources/StoreCore/StoreCore.docc", endingIn: ".md")
        .filter { $0.contains("/PurchaseMistakes") }

    @Test func `The articles have the gallery's mistakes, and no others`() throws {
        let headings = try Self.sections().compactMap { $0.split(separator: "\n").first.map(String.init) }
        #expect(headings.sorted() == Exhibit.all.map(\.name).sorted())
    }

    @Test func `A mistake shows in few lives, in the steps that its article has`() async throws {
        // The first of each Store Kit; the others take half a minute.
        for exhibit in Exhibit.all.filter({ $0.name == Exhibit.all[0].name }) {
            let failure = try #require(try await exhibit.failure())
            #expect(failure.steps.count <= 8)
            #expect(try Self.sections().contains { $0.contains("\(failure.sentence)\n.run(seed: \(failure.seed), ") })
        }
    }

    /// The sections of all articles, each beginning with its heading.
    private static func sections() throws -> [String] {
        try articles.flatMap { try Document.text($0).components(separatedBy: "\n### ").dropFirst() }
    }
}
