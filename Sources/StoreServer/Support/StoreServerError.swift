/// An error of opening a server.
///
/// It contains no key and no secret.
public struct StoreServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that describes the error.
    ///
    /// Its wording is not stable.
    public let description: String

    init(_ description: String) { self.description = description }

    /// The error where the module was built without libmicrohttpd, with ``MicroHTTPD/advice``.
    public static let unavailable = StoreServerError(MicroHTTPD.advice)
}
