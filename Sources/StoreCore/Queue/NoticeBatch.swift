/// A batch of notices taken from a driver's outbox.
struct NoticeBatch {
    /// The notices in reverse, so that the next one is moved out of the end rather than copied.
    var notices: [Notice] = []
    /// The driver's epoch at the time of taking; a notice of another epoch is applied, but not delivered.
    var epoch = 0

    var isDone: Bool { notices.isEmpty }

    mutating func popNext() -> Notice? { notices.popLast() }

    mutating func putBack(_ notice: consuming Notice) { notices.append(notice) }

    /// Removes and returns the next notice.
    ///
    /// The batch must not be empty.
    @discardableResult
    mutating func removeNext() -> Notice { notices.removeLast() }
}
