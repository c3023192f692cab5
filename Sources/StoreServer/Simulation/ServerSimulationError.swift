/// A mistake in a simulation of a server.
public struct ServerSimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that describes the mistake.
    public let description: String

    init(_ description: String) { self.description = description }
}
