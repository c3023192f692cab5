/// Rounds in which both sides take turns, so that a temporary slowdown of the machine affects both alike.
struct Rounds {
    let count: Int

    /// Measures both sides; a first round warms everything up and is dropped.
    @MainActor func run(_ cases: Cases) async throws -> Outcome {
        var floors: [Sample] = []
        var values: [Sample] = []
        for round in 0...count {
            // The first side alternates: the second finds caches and heap as the first has left them.
            let order: [Side] = round.isMultiple(of: 2) ? [.floor, .value] : [.value, .floor]
            for side in order {
                let sample = try await cases[side]()
                switch side {
                case .floor: floors.append(sample)
                case .value: values.append(sample)
                }
            }
        }
        return Outcome(floors: floors, values: values)
    }
}
