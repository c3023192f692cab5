extension StoreClock {
    /// Runs a call to an asynchronous store in a task, for which settling waits.
    func run(_ body: @escaping @Sendable () async -> Void) {
        let work = activity.begin()
        Task {
            await body()
            work.end()
        }
    }
}
