/// The bounds of what a server takes from its clients.
package struct HTTPLimits: Hashable, Sendable {
    /// The most bytes of a request's body.
    ///
    /// A longer one is answered with status 413.
    package var bodySize = 1 << 20
    /// The bytes of memory for a connection's request line and headers.
    ///
    /// What does not fit is answered with 414 or 431.
    package var connectionMemory = 32 << 10
    /// The seconds after which a connection is closed on which nothing moves.
    package var timeout: UInt32 = 30
    /// The most connections at a time.
    ///
    /// A further one waits until another is closed.
    package var connections: UInt32 = 256
    /// The number of threads that answer.
    package var threads: UInt32 = 4
    /// The seconds that a stop waits for requests that are being answered.
    package var patience: Double = 5

    package init() {}
}
