/// A store in the same process, which a queue asks by value instead of being called back.
///
/// One call hands commands over and returns the acknowledgement together with all news that the connection has not been
/// given yet. Nothing is pushed: when something else causes a change for a connection, the store notifies its
/// ``NewsListener``, and the queue asks again.
///
/// Every requirement may be called on any thread. None calls a listener or an authorizer: the follow-up work of a call
/// is in ``Exchange/afterwards`` and ``Exchange/questions``, which the caller runs once it holds no lock.
package protocol ImmediateStore: StoreBackend {
    /// Whether an exchange runs only StoreCore's own code: neither a client's ledger nor a client's clock.
    ///
    /// A queue may then ask with its lock held, unless a payment has special terms: a client's ``OfferSigner`` may check
    /// the signature of an offer. The order of the locks is queue, store, clock.
    var isSelfContained: Bool { get }

    /// Opens a connection for a queue's journal.
    ///
    /// The first exchange on it starts the updates, as ``StoreBackend/connect(_:after:)`` describes.
    ///
    /// - Parameters:
    ///   - listener: notified when there is news; retained until ``closeConnection(_:)``.
    ///   - journal: the name under which the queue numbers its commands.
    ///   - cursor: the place where an earlier connection ended; nil asks for a snapshot.
    /// - Returns: the connection's name.
    func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID

    /// Closes a connection. One that is closed already is ignored.
    func closeConnection(_ connection: StoreConnectionID)

    /// Accepts commands, and returns the news that the connection has not been given.
    ///
    /// - Parameters:
    ///   - commands: in the order of their numbers; none to ask for news only.
    ///   - connection: the queue's; nil while it has none.
    ///   - exchange: the answer. It has to be empty; its buffers are reused.
    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange)

    /// Accepts one command, in the same way; never a payment with special terms, whose signature a signer may have to
    /// check.
    ///
    /// Default: hands it over in an array.
    func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange)
}

extension ImmediateStore {
    package func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange) {
        self.exchange([command], on: connection, into: &exchange)
    }
}
