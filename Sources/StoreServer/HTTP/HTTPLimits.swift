import Foundation

/// The limits that a server sets for its clients.
package struct HTTPLimits: Hashable, Sendable {
    /// The maximum size of a request's body, in bytes.
    ///
    /// A longer body is read and dropped, and the response has status 413. If a client announces more than five times
    /// the size, the response is immediate. If more than that arrives unannounced, the connection is closed.
    package var bodySize = 1 << 20
    /// The maximum size of the body of a request to verify a receipt or to upload an image, in bytes; ``bodySize`` if
    /// that is greater.
    ///
    /// This limit is separate because a receipt grows with the number of its purchases.
    package var receiptBodySize = 16 << 20
    /// The maximum size of a request's target, which is its path and query, in bytes.
    ///
    /// The response to a request with a longer target has status 414.
    package var targetSize = 16 << 10
    /// The maximum size of a request's head, in bytes: the first line and the headers, with 64 bytes added for each
    /// header.
    ///
    /// The response to a request with a larger head has status 431.
    package var headSize = 32 << 10
    /// The seconds after which an idle connection is closed.
    package var timeout: UInt32 = 30
    /// The maximum seconds for a request to arrive, from the first byte of its head to the last of its body.
    ///
    /// A connection on which a request takes longer is closed, even if it is not idle.
    package var requestTime: TimeInterval = 60
    /// The maximum number of connections.
    ///
    /// If there are more, the server closes those on which it has waited longest for a request, after at least
    /// ``patienceWithCrowds`` seconds. A further connection has to wait only while all others have a request in
    /// progress.
    package var connections: UInt32 = 256
    /// The maximum number of connections of one peer, which is an IPv4 address or an IPv6 network; unlimited by
    /// default.
    ///
    /// If a peer has more, the server closes the one on which it has waited longest for a request.
    package var connectionsPerPeer: UInt32 = .max
    /// The minimum time that a client has for its request when there are too many connections, in seconds.
    package var patienceWithCrowds: TimeInterval = 1
    /// The number of threads that handle requests, each of which has connections of its own.
    package var threads: UInt32 = 4
    /// The maximum time for which a server that is being stopped waits for requests in progress before it closes their
    /// connections, in seconds.
    ///
    /// The server still waits, without limit, until its handler has returned.
    package var patience: Double = 5

    package init() {}

    /// The maximum size of a body that exceeds its limit and is still read, to be dropped, in bytes.
    var droppedSize: Int {
        let (size, isTooMuch) = bodySize.multipliedReportingOverflow(by: 5)
        return isTooMuch ? .max : size
    }

    /// The memory of a connection, in bytes.
    ///
    /// libmicrohttpd itself refuses a request head that does not fit.
    var memory: Int { max(2 * headSize, 16 << 10) }

    /// The number of connections that are accepted: more than ``connections``, since some are being closed.
    var takenConnections: UInt32 {
        let (count, isTooMuch) = connections.addingReportingOverflow(max(threads, connections / 4))
        return isTooMuch ? .max : count
    }

    /// Returns the limits for a request with a target.
    func `for`(_ target: String) -> HTTPLimits {
        var path = target.prefix { $0 != "?" }.split(separator: "/")[...]
        // A test's store has the same addresses below its own.
        if path.first == "stores" { path = path.dropFirst(2) }
        if path.first == "sandbox" || path.first == "production" { path = path.dropFirst() }
        let isImage = path.starts(with: ["inApps", "v1", "messaging", "image"])
        guard isImage || path.elementsEqual(["verifyReceipt"]) else { return self }
        var limits = self
        limits.bodySize = max(bodySize, receiptBodySize)
        return limits
    }
}
