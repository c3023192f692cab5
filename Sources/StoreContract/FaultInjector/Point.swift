extension FaultInjector {
    /// A point where messages pass between a queue and its store.
    ///
    /// Reads are not among them, except that of the country:
    /// others, such as which products are sold, go straight to the store.
    public enum Point: String, CaseIterable, Hashable, Codable, Sendable {
        /// Submission of commands to the store.
        case submission
        /// The store's answer to a submission.
        case reply
        /// A queue's request for updates on its way to the store.
        case connection
        /// A batch of updates on its way to a queue.
        case update
        /// The store's notice of a lost connection, on its way to the queue.
        case connectionLost
        /// A queue's acknowledgement of the updates that its observers know, on its way to the store.
        case acknowledgement
        /// A look-up of products on its way to the store.
        case productsRequest
        /// The store's answer to a look-up.
        case productsAnswer
        /// The request for a fresh receipt on its way to the store.
        case receiptRequest
        /// The store's answer to that request.
        case receiptAnswer
        /// The request for the next bytes of a download on its way to the store.
        case downloadRequest
        /// Some bytes of a download, or their failure, on their way to the queue.
        case downloadChunk
        /// The read of the country by an app.
        ///
        /// The reader cannot wait. A fault that loses it or fails it makes the app read nil, as it does where the store
        /// does not know. All other faults let it pass, ``FaultInjector/Fault/hold`` too.
        case storefrontRead
    }
}
