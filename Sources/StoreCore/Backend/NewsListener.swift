/// An end of a connection that the store notifies of news.
package protocol NewsListener: AnyObject, Sendable {
    /// Announces that the next exchange may return news. Called without a lock, on any thread, at most once until that
    /// exchange.
    func newsArrived()
}
