import Foundation

/// A ``ContentService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncContentService: Sendable {
    /// Returns some bytes of a file that the store hosts, as ``ContentService/fetchContent(_:reply:)`` says.
    ///
    /// - Parameter request: the range of bytes, and their file.
    /// - Returns: at least one byte and at most ``ContentRequest/limit``, beginning at ``ContentRequest/offset``.
    /// - Throws: the reason why it cannot. The download fails with it, and the app may start it again.
    func content(_ request: ContentRequest) async throws -> Data
}
