import Testing

@testable import store_bench

struct GrowthTests {
    @Test @MainActor func `a size is the median of its rounds without the warm-up, and is cleaned up`() async throws {
        var values = [1_000.0, 3, 1, 2][...]
        var asked: [Int] = []
        var cleaned = 0
        let sizes = Sizes { size in
            asked.append(size)
            return Growth.Probe(sample: { Sample(value: values.removeFirst()) }, cleanUp: { cleaned += 1 })
        }
        let growth = Growth(of: "things", unit: "ns") { try sizes.make($0) }
        let point = try await growth.measure(size: 1_000)
        #expect(point == Growth.Point(size: 1_000, value: 2))
        #expect(asked == [1_000] && cleaned == 1)
    }

    /// Lets a sendable closure call one of the main actor's.
    @MainActor private final class Sizes {
        let make: (Int) throws -> Growth.Probe
        init(_ make: @escaping (Int) throws -> Growth.Probe) { self.make = make }
    }

    @Test func `--svg takes a file`() throws {
        #expect(try Arguments(["--svg", "chart.svg", "products"]).chart == "chart.svg")
        let wrong = #expect(throws: Arguments.Wrong.self) { try Arguments(["--svg", "--json"]) }
        #expect(wrong?.sentence == "--svg takes the name of the file to write.")
    }

    @Test func `growth is measured only when asked for`() throws {
        #expect(try !Arguments(["products"]).isGrowth)
        #expect(try Arguments(["--growth", "products"]).isGrowth)
    }
}
