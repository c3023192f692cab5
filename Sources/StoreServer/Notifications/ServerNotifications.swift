import Foundation
import StoreCore

/// The notifications that a store sends to an app's server, as an asynchronous sequence that needs no network.
///
/// ```swift
/// let notifications = try ServerNotifications(store)
/// try store.account.buy("premium.monthly")
/// #expect(try notifications.received().map(\.description) == ["SUBSCRIBED INITIAL_BUY"])
/// ```
///
/// The sequence contains the notifications since its creation, and each iteration starts with the first of them. An
/// iteration waits for further notifications until its task is canceled. Neither libmicrohttpd nor a ``StoreServer`` is
/// needed.
public struct ServerNotifications: AsyncSequence, Sendable {
    private let view: ServerView
    private let start: ServerNotification.Position?

    /// Creates a sequence of the notifications that are sent from now on.
    ///
    /// If the store's ledger does not record notifications yet, it begins to do so.
    ///
    /// - Throws: the ledger's errors.
    public init(_ store: SandboxStore) throws { try self.init(ServerView(store)) }

    init(_ view: ServerView) throws {
        self.view = view
        try view.beginNotifications()
        start = try view.lastNotification()
    }

    /// Returns the notifications from the creation of the sequence until now, oldest first, without waiting.
    ///
    /// A notification is in the list once, as soon as the call has returned that causes it, or the clock has passed its
    /// date. Deliveries have no effect on the list: whether a server was sent a notification, refused it or got it twice.
    ///
    /// - Throws: an error of the ledger that prevents reading it, or of the signer.
    public func received() throws -> [StoreServerNotification] {
        var received: [StoreServerNotification] = []
        let signer = NotificationSigner(view: view)
        try view.forEachNotification(after: start) {
            received.append(StoreServerNotification($0, signedPayload: try signer.signedPayload($0)))
            return true
        }
        return received
    }

    /// Returns an iterator over the notifications since the creation of the sequence.
    public func makeAsyncIterator() -> Iterator { Iterator(view, after: start) }

    /// An iterator over the notifications of a store.
    public struct Iterator: AsyncIteratorProtocol {
        private let view: ServerView
        private let bell = NotificationBell()
        private var position: ServerNotification.Position?
        private var page: ArraySlice<ServerNotification> = []

        fileprivate init(_ view: ServerView, after position: ServerNotification.Position?) {
            self.view = view
            self.position = position
            view.follow(bell)
        }

        /// Waits for the next notification and returns it; nil once the task is canceled.
        ///
        /// - Throws: an error of the ledger that prevents reading it, or of the signer.
        public mutating func next() async throws -> StoreServerNotification? {
            while page.isEmpty {
                let rings = bell.rings
                page = try view.notifications(after: position, limit: 64)[...]
                guard page.isEmpty else { break }
                guard await bell.wait(since: rings) else { return nil }
            }
            let notification = page.removeFirst()
            position = notification.position
            let payload = try NotificationSigner(view: view).signedPayload(notification)
            return StoreServerNotification(notification, signedPayload: payload)
        }
    }
}

extension ServerView {
    /// Calls `body` with each notification after a position, oldest first, until `body` returns false.
    ///
    /// With a date, most notifications before that date are skipped.
    func forEachNotification(
        after position: ServerNotification.Position?,
        since date: Date? = nil,
        _ body: (ServerNotification) throws -> Bool
    ) throws {
        var position = position
        while true {
            let page = try notifications(after: position, since: date, limit: 256)
            for notification in page where try !body(notification) { return }
            guard let last = page.last else { return }
            position = last.position
        }
    }
}

/// A listener to a store's changes.
///
/// A task can wait for the next change.
final class NotificationBell: HistoryListener {
    private struct State {
        var rings = 0
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let state = Locked(State())

    /// The number of changes of the store so far.
    var rings: Int { state.withLock { $0.rings } }

    func historyChanged() {
        let waiting = state.withLock { state in
            state.rings += 1
            return state.waiting.take()
        }
        waiting?.resume(returning: true)
    }

    /// Waits until there have been more than `rings` changes.
    ///
    /// - Returns: false once the task is canceled.
    func wait(since rings: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.rings != rings { return true }
                    state.waiting = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume(returning: false)
        }
    }
}
