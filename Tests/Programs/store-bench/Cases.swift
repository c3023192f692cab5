/// One of the two programs that a figure compares.
enum Side: String {
    case floor, value
}

/// The two programs that a figure compares.
///
/// Each call takes one sample and sets up, untimed, what it needs for it. Calls run on the main actor, where an app buys.
struct Cases {
    let floor: @MainActor () async throws -> Sample
    let value: @MainActor () async throws -> Sample
    /// Removes persistent resources, such as a temporary file.
    var cleanUp: () -> Void = {}

    subscript(side: Side) -> @MainActor () async throws -> Sample {
        switch side {
        case .floor: floor
        case .value: value
        }
    }
}

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
