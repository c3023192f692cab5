import StoreCore

/// A store's direct transport in the form of the socket.
///
/// Commands and connections go through ``ImmediateStore/exchange(_:on:into:)``, so that every check of the socket
/// checks this transport as well.
package final class ExchangeBackend: ForwardingBackend {
    private let store: any ImmediateStore
    private let links = Locked<[ObjectIdentifier: ExchangeLink]>([:])

    /// Presents a store's direct transport as a socket.
    package init(_ store: any ImmediateStore) { self.store = store }

    deinit { for link in links.withLock({ Array($0.values) }) { link.close() } }

    package var backend: any StoreBackend { store }

    /// Submits commands on the connection of their journal, if there is one.
    package func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let journal = commands.first?.id.journal
        if let link = links.withLock({ $0.values.first { $0.journal == journal } }) {
            return link.ask(commands, reply: reply)
        }
        var exchange = Exchange()
        store.exchange(commands, on: nil, into: &exchange)
        reply(exchange.answer)
        exchange.afterwards?()
        exchange.questions?()
    }

    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let link = ExchangeLink(store, receiver, after: cursor)
        links.withLock { $0.updateValue(link, forKey: ObjectIdentifier(receiver)) }?.close()
        link.open()
    }

    package func disconnect(_ receiver: any StoreUpdateReceiver) {
        links.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }?.close()
    }
}
