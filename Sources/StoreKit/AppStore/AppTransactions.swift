extension AppTransaction {
    /// Every purchase of this version of the app: the one of the account that is signed in.
    public static var all: AppTransactions { AppTransactions(face: StoreFace.current) }

    /// A sequence of the app's purchases, read when iteration begins.
    ///
    /// It is empty if the store does not answer.
    public struct AppTransactions: AsyncSequence, Sendable {
        /// A purchase of the app, and whether its signature can be trusted.
        public typealias Element = VerificationResult<AppTransaction>

        fileprivate let face: StoreFace

        /// Begins an iteration.
        public func makeAsyncIterator() -> AppTransaction.AppTransactions.AsyncIterator { AsyncIterator(face: face) }

        /// An iteration over the app's purchases.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A purchase of the app, and whether its signature can be trusted.
            public typealias Element = VerificationResult<AppTransaction>

            /// The store's face; nil once it has been asked.
            fileprivate var face: StoreFace?

            /// Returns the next purchase; nil at the end.
            public mutating func next() async -> VerificationResult<AppTransaction>? {
                guard let face else { return nil }
                self.face = nil
                do {
                    return try await face.appTransaction(isRefreshed: false)
                } catch {
                    face.log("there are no app transactions: \(error)")
                    return nil
                }
            }
        }
    }
}
