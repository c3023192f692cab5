import AppGallery
import StoreSimulator
import Testing

@Suite("Apps without mistakes, each of which lives often") struct GalleryTests {
    /// An exhibit for each mended app.
    private static let mended = Dictionary(grouping: Exhibit.all, by: \.mendedApp).values.map { $0[0] }

    @Test func `There are fifteen mistakes in each Store Kit at least`() {
        #expect(Exhibit.all.count { $0.mendedApp.hasPrefix("Shop1") } >= 15)
        #expect(Exhibit.all.count { $0.mendedApp.hasPrefix("Shop2") } >= 15)
    }

    /// `.ci/run gallery` performs hundreds of runs.
    @Test(arguments: mended) func `A mended app breaks no rule`(exhibit: Exhibit) async throws {
        let report = try await exhibit.report(runs: 5)
        #expect(report.runs == 5)
    }

    @Test(arguments: mended) func `A mended app breaks no rule on a store with quirks`(exhibit: Exhibit) async throws {
        let report = try await exhibit.report(seed: 1_001, runs: 5, drawsQuirks: true)
        #expect(report.count(of: .quirk) > 0)
    }
}
