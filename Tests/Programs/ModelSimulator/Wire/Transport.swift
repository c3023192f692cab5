/// The transport between queues and stores of simulated runs.
package enum Transport: String, CaseIterable, Hashable, Sendable {
    /// Queues ask their stores by value, as they do in one process.
    case direct
    /// Queues hand their stores commands, and stores call them with updates.
    case socket
}

extension Transport {
    /// Selects the transport of a run by its seed, if the devices' backends can be asked directly.
    init(seed: UInt64) { self = seed & 8 == 8 ? .direct : .socket }

    /// Returns the seed of a run on this transport: of all such seeds from `first` on, the one with the number.
    ///
    /// Eight seeds in a row take one transport, the next eight the other.
    func seed(_ number: UInt64, from first: UInt64) -> UInt64 {
        let start = Transport(seed: first) == self ? first : (first | 7) &+ 1
        let place = (start & 7) &+ number
        return (start & ~7) &+ (place >> 3) << 4 &+ place & 7
    }
}
