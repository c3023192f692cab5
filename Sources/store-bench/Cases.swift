/// One of the two programs that a figure compares.
enum Side: String {
    case floor, value
}

/// The two programs that a figure compares.
///
/// Each call takes one sample and sets up, untimed, what it needs for it.
struct Cases {
    let floor: () throws -> Sample
    let value: () throws -> Sample
    /// Removes persistent resources, such as a temporary file.
    var cleanUp: () -> Void = {}

    subscript(side: Side) -> () throws -> Sample {
        switch side {
        case .floor: floor
        case .value: value
        }
    }
}
