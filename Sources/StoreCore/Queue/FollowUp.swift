/// What an exchange has left to do once no lock is held.
///
/// Whoever settles waits until it is done.
struct FollowUp {
    private let work: Activity.Work
    private let afterwards: (@Sendable () -> Void)?
    private let questions: (@Sendable () -> Void)?

    /// Returns nil where an exchange has left nothing to do.
    @inline(__always)
    init?(_ exchange: borrowing Exchange, _ activity: Activity) {
        if exchange.isOver { return nil }
        work = activity.begin()
        afterwards = exchange.afterwards
        questions = exchange.questions
    }

    /// Makes one of questions only.
    init(questions: @escaping @Sendable () -> Void, _ activity: Activity) {
        work = activity.begin()
        afterwards = nil
        self.questions = questions
    }

    /// Rings other connections and sets the clock, which holds up nobody.
    func ring() { afterwards?() }

    /// Asks the authorizer, which may take its time and use queues, once this thread has nothing else to do for a queue.
    ///
    /// One that buys something is asked about that once it has answered, so that questions do not nest.
    func ask() {
        guard let questions else { return work.end() }
        CallScope.inTurn { [work] in
            questions()
            work.end()
        }
    }
}
