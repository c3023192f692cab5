import Foundation

/// The bounds of what a server takes from its clients.
package struct HTTPLimits: Hashable, Sendable {
    /// The most bytes of a request's body.
    ///
    /// A longer one is read and dropped, and then answered with status 413; one that is announced to be longer than five times
    /// as many bytes is answered at once, and one that turns out to be so is cut off.
    package var bodySize = 1 << 20
    /// The most bytes of the body of a request to verify a receipt, if they are more.
    ///
    /// Receipts grow with their purchases.
    package var receiptBodySize = 16 << 20
    /// The most bytes of a request's target: path and query.
    ///
    /// A longer one is answered with 414.
    package var targetSize = 16 << 10
    /// The most bytes of a request's line and headers together, with 64 more for each header.
    ///
    /// More is answered with 431.
    package var headSize = 32 << 10
    /// The seconds after which a connection is closed on which nothing moves.
    package var timeout: UInt32 = 30
    /// The seconds that a client has for a request, from the first byte of its head to the last of its body.
    ///
    /// A connection that takes longer is closed, however much moves on it.
    package var requestTime: TimeInterval = 60
    /// The most connections at a time.
    ///
    /// Where there are more, those that have owed a request for the longest are closed, once they have for ``patienceWithCrowds``
    /// seconds. A further one waits only while all are being answered.
    package var connections: UInt32 = 256
    /// The most connections of one peer at a time, an IPv4 address or a network of IPv6; no bound of its own unless set.
    ///
    /// Where there are more, the one is closed that has owed a request for the longest.
    package var connectionsPerPeer: UInt32 = .max
    /// The seconds that a connection may owe a request even where there are too many connections.
    package var patienceWithCrowds: TimeInterval = 1
    /// The number of threads that answer.
    package var threads: UInt32 = 4
    /// The seconds that a stop waits for requests that are being answered.
    package var patience: Double = 5

    package init() {}

    /// The most bytes that are announced of a body that is dropped.
    var droppedSize: Int {
        let (size, isTooMuch) = bodySize.multipliedReportingOverflow(by: 5)
        return isTooMuch ? .max : size
    }

    /// The bytes of memory of a connection: what has no place there is answered by libmicrohttpd itself.
    var memory: Int { max(2 * headSize, 16 << 10) }

    /// The number of connections that are taken before some are closed.
    var takenConnections: UInt32 {
        let (count, isTooMuch) = connections.addingReportingOverflow(max(threads, connections / 4))
        return isTooMuch ? .max : count
    }

    /// Returns the limits of a request to a target.
    func `for`(_ target: String) -> HTTPLimits {
        let paths = ["/verifyReceipt", "/sandbox/verifyReceipt", "/production/verifyReceipt"]
        guard paths.contains(where: { target.prefix { $0 != "?" } == $0 }) else { return self }
        var limits = self
        limits.bodySize = max(bodySize, receiptBodySize)
        return limits
    }
}
