/// The work that an exchange leaves until no lock is held.
///
/// Settling waits until it is done.
struct FollowUp {
    private let work: Activity.Work
    private let afterwards: (@Sendable () -> Void)?
    private let questions: (@Sendable () -> Void)?

    /// Returns nil if an exchange has left no work.
    @inline(__always)
    init?(_ exchange: borrowing Exchange, _ activity: Activity) {
        if exchange.isOver { return nil }
        work = activity.begin()
        afterwards = exchange.afterwards
        questions = exchange.questions
    }

    /// Makes a follow-up that only asks questions.
    init(questions: @escaping @Sendable () -> Void, _ activity: Activity) {
        work = activity.begin()
        afterwards = nil
        self.questions = questions
    }

    /// Notifies other connections and sets the clock, which blocks no thread.
    func ring() { afterwards?() }

    /// Asks the authorizer, which may take its time and use queues, once this thread has no other work for a queue.
    ///
    /// If an answer leads to a purchase, the question about that purchase follows the answer, so that questions do not
    /// nest.
    func ask() {
        guard let questions else { return work.end() }
        CallScope.inTurn { [work] in
            questions()
            work.end()
        }
    }
}
