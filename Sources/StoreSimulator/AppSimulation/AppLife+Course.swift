import Foundation
import StoreCore

// A life runs in a task that calls the app's code directly: another task for each call would be slower than most calls.
// If the app's code waits for something, that task remains with the app's code, and the life continues in another.
extension AppLife {
    /// Performs all steps and the final checks.
    func follow() throws {
        while true {
            course.turn += 1
            if launches.scheduler.replenish().isExhausted { throw AppViolation.restless(before: course.index) }
            launches.scheduler.run { [self, turn = course.turn] in
                // Endless jobs may have delayed the beginning of this task until the next turn.
                if turn != course.turn { return }
                let result: Result<Void, any Error>
                do { result = .success(try await goOn()) } catch { result = .failure(error) }
                if turn != course.turn { return }
                if case .acting = course.phase { return }
                course.phase = .over(result)
            }
            switch course.phase {
            case .over(let result): return try result.get()
            case .acting: continue
            case .asking(let step): throw AppViolation(sentence: "the app does not answer what it has", step: step)
            case .between: throw AppViolation.restless(before: course.index)
            }
        }
    }

    /// Performs the remaining steps and the final checks; completes the current step first, if it is in progress.
    private nonisolated(nonsending) func goOn() async throws {
        let isActing = if case .acting = course.phase { true } else { false }
        (course.phase, course.isBound) = (.between, false)
        if isActing { try await complete(hasActed: true) }
        while let step = course.step {
            if step.endsLaunch {
                try begin(step)
                try await complete(hasActed: take(step))
            } else {
                try await takeStepsOfLaunch()
                if case .acting = course.phase { return }
                if try relaunchKilled(before: course.index - 1) { try await check(.step, before: course.index - 1) }
            }
        }
        try course.report(.end)
        try await windUp(course.steps.count)
    }

    /// Performs the steps to the end of the running launch, or of the life, with the launch's context bound.
    ///
    /// The context is bound once for all of these steps, since binding is as slow as most calls. The caller performs
    /// the step that ends the launch, because the binding retains the context, whose end notifies the app's tasks.
    private nonisolated(nonsending) func takeStepsOfLaunch() async throws {
        guard let context = launches.running?.context else { preconditionFailure("a life has a launch to its end") }
        let turn = course.turn
        course.isBound = true
        defer { if turn == course.turn { course.isBound = false } }
        try await context.run {
            while let step = course.step, !step.endsLaunch {
                if server != nil, try pause() { return }
                try begin(step)
                let hasActed: Bool
                if case .action(let name) = step {
                    hasActed = try await act(name)
                    if Task.isCancelled { return course.phase = .acting }
                } else if case .advance(let hours) = step, setup.checksMoments || server != nil {
                    hasActed = try await passTime(hours)
                } else {
                    hasActed = try take(step)
                }
                guard note(hasActed: hasActed) else { continue }
                if try settle(before: course.index - 1) { return }
                try await check(.step, before: course.index - 1)
            }
        }
    }

    /// Advances the clock, and checks the app's access at the end of each period on the way.
    ///
    /// - Returns: whether time has passed.
    private nonisolated(nonsending) func passTime(_ hours: Int) async throws -> Bool {
        let end = clock.now + Double(max(hours, 0)) * 3_600
        while let next = nextMoment(before: end) {
            clock.advance(to: next)
            if try settle(before: course.index), server == nil { break }
            if setup.checksMoments, launches.running?.process.isDead == false {
                try await checkAccess(before: course.index)
            }
        }
        judge.hasWaited = true
        clock.advance(to: end)
        return hours > 0
    }

    /// Returns the next moment before an end at which something happens that is not left until the end.
    private func nextMoment(before end: Date) -> Date? {
        let period = judge.nextPeriodEnd(before: end)
        guard let server else { return period }
        // A server that has missed something is started again within some days.
        return [period, server.nextDate, clock.now + 86_400].compactMap(\.self).filter { $0 < end }.min()
    }

    /// Lets a minute pass, so that no two events that people cause have the same date, by which servers order them; returns
    /// whether the app was killed.
    private func pause() throws -> Bool {
        judge.hasWaited = true
        clock.advance(by: 60)
        return try settle(before: course.index)
    }

    /// Begins the current step.
    private func begin(_ step: AppStep) throws {
        course.coming = course.steps[(course.index + 1)...]
        try course.report(.step(course.index, step))
        if let server {
            server.note("\(step)")
            if step.keepsOrders { server.noteKeptOrders() }
        }
        course.states = states
    }

    /// Records the current step, and moves to the next; returns whether the step may have consequences now.
    private func note(hasActed: Bool) -> Bool {
        guard let step = course.step else { return false }
        course.index += 1
        coverage.note(step, in: course.states, hasActed: hasActed)
        return !step.isSilent
    }

    /// Moves to the next step, settles and checks, while no context is bound.
    private nonisolated(nonsending) func complete(hasActed: Bool) async throws {
        guard note(hasActed: hasActed) else { return }
        let index = course.index - 1
        try settle(before: index)
        try relaunchKilled(before: index)
        try await check(.step, before: index)
    }

    /// Performs a user's action; returns whether there is an app to perform it.
    private nonisolated(nonsending) func act(_ name: String) async throws -> Bool {
        let action = try setup.action(named: name)
        guard launches.running?.app != nil else { return false }
        launches.noteAction()
        try await call(.acting, action.body)
        return true
    }

    /// Calls a body with the running app, in the launch's context; returns nil if no app is running.
    ///
    /// - Throws: `CancellationError` if the life has continued without waiting for the call.
    @discardableResult
    nonisolated(nonsending) func call<R>(_ phase: LifeCourse.Phase, _ body: LaunchedApp.Call<R>) async throws -> R? {
        guard let running = launches.running, let app = running.app else { return nil }
        let turn = course.turn
        course.phase = phase
        let result = course.isBound ? await body(app) : await running.context.run { await body(app) }
        if turn != course.turn { throw CancellationError() }
        course.phase = .between
        return result
    }
}

/// The steps of a life, its progress, and the task that performs them.
final class LifeCourse {
    /// The state of a life's task.
    enum Phase {
        /// Between two calls of the app's code.
        case between
        /// In an action of the app, or in another task while an action still waits.
        case acting
        /// In a call that queries the app, after a number of steps.
        case asking(Int)
        /// At the end of the life.
        case over(Result<Void, any Error>)
    }

    let steps: [AppStep]
    /// Reports the place in the life, and throws if the life has to end.
    let report: (RunMonitor.Place) throws -> Void
    /// The index of the current step.
    var index = 0
    /// The current step; nil after the last.
    var step: AppStep? { index < steps.count ? steps[index] : nil }
    /// The steps that are still to come.
    var coming: ArraySlice<AppStep>
    /// The conditions under which the current step began, such as a device offline: coverage counts steps by them.
    var states = AppCoverage.States()
    /// The number of tasks that have run the life; work of an earlier task no longer belongs to the life.
    var turn = 0
    var phase = Phase.between
    /// Whether the task has bound the context of the running launch.
    var isBound = false

    init(_ steps: [AppStep], report: @escaping (RunMonitor.Place) throws -> Void) {
        self.steps = steps
        self.report = report
        coming = steps[...]
    }
}
