import Foundation
import StoreCore

extension RemoteStore {
    /// The settings of a remote store.
    public struct Configuration: Sendable {
        /// The seconds that the store may take for an answer, or for a part of one: 30 unless set, and 0.01 to 86,400 whatever
        /// is set.
        public var timeout: TimeInterval = 30
        /// Whether receipts come with the updates, true unless set: the app receipt whenever it has changed, and that of each
        /// purchased or restored transaction.
        ///
        /// Without them, the store has no receipts for the app. An app that reads none saves signatures and traffic.
        public var carriesReceipts = true
        /// The verifier of signed transactions; nil, unless set, to take them at the word of the store, whose connection and
        /// token vouch for them.
        public var verifier: (any PayloadSigner)?
        /// The clock from which queues take their pauses; the system's unless set.
        public var clock: any StoreClock = SystemClock.shared

        /// Creates settings, to be changed.
        public init() {}
    }
}
