/// How the value of a figure depends on a size, such as the number of past purchases.
struct Growth: Sendable {
    /// One size, ready to be measured again and again.
    struct Probe {
        let sample: @MainActor () async throws -> Sample
        /// Removes persistent resources, such as a temporary file.
        var cleanUp: () -> Void = {}
    }

    /// The value at one size.
    struct Point: Codable, Equatable {
        let size: Int
        let value: Double
    }

    /// What there are so many of, in the plural.
    let counted: String
    /// The unit of the values: per item where the figure itself measures all of them together.
    let unit: String
    let sizes: [Int]
    private let makeProbe: @MainActor @Sendable (Int) throws -> Probe

    init(
        of counted: String,
        unit: String,
        sizes: [Int] = [1_000, 10_000, 100_000, 1_000_000],
        makeProbe: @escaping @MainActor @Sendable (Int) throws -> Probe
    ) {
        self.counted = counted
        self.unit = unit
        self.sizes = sizes
        self.makeProbe = makeProbe
    }

    /// Measures one size: the median of the rounds after a warm-up.
    @MainActor func measure(size: Int, rounds: Int = 3) async throws -> Point {
        let probe = try makeProbe(size)
        defer { probe.cleanUp() }
        var values: [Double] = []
        for _ in 0...rounds { values.append(try await probe.sample().value) }
        return Point(size: size, value: Array(values.dropFirst()).median)
    }
}

extension Sample {
    /// Converts milliseconds of so many items into nanoseconds of each.
    func each(of count: Int) -> Sample { Sample(value: value * 1_000_000 / Double(count)) }
}
