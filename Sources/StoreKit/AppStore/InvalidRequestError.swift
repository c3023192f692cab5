/// The error of a request that a store rejects as malformed, such as one of Apple's Advanced Commerce API.
///
/// No store of this library throws it.
public struct InvalidRequestError: Error {
    /// The store's code.
    public let code: Int64
    /// The store's sentence.
    public let message: String
}
