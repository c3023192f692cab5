extension FaultInjector {
    /// A place where something passes between a queue and its store.
    ///
    /// What is asked and answered without passing anything on is not among them, but for the country:
    /// ``FaultInjector/sells(_:)`` and its like go straight to the store.
    public enum Point: String, CaseIterable, Hashable, Codable, Sendable {
        /// Commands on their way to the store.
        case submission
        /// The store's answer to a submission.
        case reply
        /// A queue's wish for updates on its way to the store.
        case connection
        /// A batch of updates on its way to a queue.
        case update
        /// The store's word that a connection is gone, on its way to the queue.
        case connectionLost
        /// A queue's word of how far it has told its observers, on its way to the store.
        case acknowledgement
        /// A look-up of products on its way to the store.
        case productsRequest
        /// The store's answer to a look-up.
        case productsAnswer
        /// The wish for a fresh receipt on its way to the store.
        case receiptRequest
        /// The store's answer to that wish.
        case receiptAnswer
        /// The wish for the next bytes of a download on its way to the store.
        case downloadRequest
        /// Some bytes of a download, or why there are none, on their way to the queue.
        case downloadChunk
        /// The country's way to an app that reads it.
        ///
        /// Whoever reads it cannot wait. What loses it or fails it has the app read nil, as it does where the store does not
        /// know; everything else lets it pass, ``FaultInjector/Act/hold`` too.
        case storefrontRead
    }
}
