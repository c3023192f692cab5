/// The result of the rounds of one figure.
struct Outcome: Codable {
    /// The median of the rounds.
    let value: Double
    /// The median of the rounds.
    let floor: Double
    /// The median of the rounds' own ratios.
    let ratio: Double
    let lowestRatio: Double
    let highestRatio: Double
    /// The slowest single operation of all rounds, the first included: it happens once or not at all.
    let worst: Double?
    let floorWorst: Double?

    init(floors: [Sample], values: [Sample]) {
        let timedFloors = floors.dropFirst().map(\.value)
        let timedValues = values.dropFirst().map(\.value)
        let ratios = zip(timedValues, timedFloors).map(/)
        value = timedValues.median
        floor = timedFloors.median
        ratio = ratios.median
        lowestRatio = ratios.min() ?? ratio
        highestRatio = ratios.max() ?? ratio
        worst = values.compactMap(\.worst).max()
        floorWorst = floors.compactMap(\.worst).max()
    }
}

extension [Double] {
    /// The median: the middle value, or the mean of the middle two.
    var median: Double {
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

/// One measurement of one side, in the figure's unit.
struct Sample: Codable {
    var value: Double
    /// The slowest single operation, for figures that measure each one.
    var worst: Double?
}

extension Sample {
    /// Measures the nanoseconds that each of so many takes.
    ///
    /// The work returns how many it has done, which are to be `all`, or as many as there are.
    static func nanoseconds(
        each count: Int,
        of all: Int? = nil,
        _ what: String,
        _ work: () throws -> Int
    ) throws -> Sample {
        var done = 0
        let time = try Stopwatch.nanoseconds { done = try work() }
        try WrongCount.check(done, of: all ?? count, what)
        return Sample(value: time / Double(count))
    }

    /// Measures the nanoseconds that each of so many takes, in asynchronous work.
    static func nanoseconds(
        each count: Int,
        of all: Int? = nil,
        _ what: String,
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Int
    ) async throws -> Sample {
        var done = 0
        let time = try await Stopwatch.nanoseconds { done = try await work() }
        try WrongCount.check(done, of: all ?? count, what)
        return Sample(value: time / Double(count))
    }

    /// Measures the milliseconds that all of so many take.
    static func milliseconds(of count: Int, _ what: String, _ work: () throws -> Int) throws -> Sample {
        var done = 0
        let time = try Stopwatch.milliseconds { done = try work() }
        try WrongCount.check(done, of: count, what)
        return Sample(value: time)
    }
}

/// A program that did not do the work it was timed for.
struct WrongCount: Error, CustomStringConvertible {
    let description: String

    /// Throws unless everything was done, so that no figure is fast by leaving work out.
    static func check(_ done: Int, of count: Int, _ what: String) throws {
        guard done != count else { return }
        throw WrongCount(description: "\(done) of \(count) \(what)")
    }

    private init(description: String) { self.description = description }
}
