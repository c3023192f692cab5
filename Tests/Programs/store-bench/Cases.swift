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
