import StoreCore

// A life is lived in a task that calls the app's code itself: another task for each question would cost more than most
// answers. Where the app's code waits for something, that task is left to it, and the life goes on in another.
extension AppLife {
    /// The state of a life's task.
    enum Phase {
        /// Between two calls of the app's code.
        case between
        /// In an action, or canceled by one.
        case acting
        /// In a question to the app, after so many steps.
        case asking(Int)
        /// At the end of the life.
        case over(Result<Void, any Error>)
    }

    /// Takes all steps, and winds up.
    func follow(_ course: LifeCourse) throws {
        while true {
            turn += 1
            if scheduler.replenish().isExhausted { throw Self.restlessness(before: course.index) }
            scheduler.run { [self, turn] in
                // What never rests may have kept it from beginning.
                if turn != self.turn { return }
                let result: Result<Void, any Error>
                do { result = .success(try await goOn(course)) } catch { result = .failure(error) }
                if turn != self.turn { return }
                if case .acting = phase { return }
                phase = .over(result)
            }
            switch phase {
            case .over(let result): return try result.get()
            case .acting: continue
            case .asking(let step): throw Violation(sentence: "the app does not answer what it has", step: step)
            case .between: throw Self.restlessness(before: course.index)
            }
        }
    }

    static func restlessness(before step: Int) -> Violation {
        Violation(sentence: "the app never comes to rest", step: step)
    }

    /// Lives the remaining steps and the end; completes the present step first, if its action is under way.
    private nonisolated(nonsending) func goOn(_ course: LifeCourse) async throws {
        let isActing = if case .acting = phase { true } else { false }
        phase = .between
        if isActing { try await complete(course, hasActed: true) }
        while course.index < course.steps.count {
            let step = course.steps[course.index]
            coming = course.steps[(course.index + 1)...]
            try course.report(.step(course.index, step))
            course.states = states
            if case .action(let name) = step {
                let hasActed = try await act(name)
                if Task.isCancelled { return phase = .acting }
                try await complete(course, hasActed: hasActed)
            } else {
                try await complete(course, hasActed: take(step))
            }
        }
        try course.report(.end)
        try await windUp(course.steps.count)
    }

    /// Settles and checks the present step, and moves to the next.
    private nonisolated(nonsending) func complete(_ course: LifeCourse, hasActed: Bool) async throws {
        let (index, step) = (course.index, course.steps[course.index])
        course.index += 1
        coverage.note(step, in: course.states, hasActed: hasActed)
        // Nobody hears of it, and nothing comes of it before another step.
        if step.isSilent { return }
        try settle(before: index)
        try relaunchKilled(before: index)
        try await check(.step, before: index)
    }

    /// Has the user do something; returns whether there is an app to do it with.
    private nonisolated(nonsending) func act(_ name: String) async throws -> Bool {
        guard let action = simulation.actions.first(where: { $0.name == name }) else {
            throw AppSimulationError.unknownAction(name)
        }
        guard running?.app != nil else { return false }
        actions += 1
        let body = action.body
        try await call(.acting) { try? await body($0) }
        return true
    }

    /// Calls a body as the running app.
    ///
    /// - Throws: `CancellationError` if the life has gone on without it.
    nonisolated(nonsending) func call<R>(_ phase: Phase, _ body: (App) async -> R) async throws -> R? {
        guard let running, let present = running.app else { return nil }
        nonisolated(unsafe) let app = present  // A life uses one thread.
        let turn = turn
        self.phase = phase
        let result = await running.context.run { await body(app) }
        if turn != self.turn { throw CancellationError() }
        self.phase = .between
        return result
    }
}
