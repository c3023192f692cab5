import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct DetachedTaskTests {
    private func context() -> StoreContext { StoreContext(delivery: .inline, log: .silent) }

    /// Makes a detached task that goes on, each time that it is told to, with the contexts that it has met.
    private func detached(_ steps: AsyncStream<Void>) -> Task<[StoreContext], Never> {
        Task.detached {
            var contexts = [StoreContext.current]
            for await _ in steps { contexts.append(.current) }
            return contexts
        }
    }

    @Test func `A detached task has the context that is bound where it is made`() async {
        let context = context()
        let met = await context.run {
            await Task.detached {
                let first = StoreContext.current
                await Task.yield()
                async let child = StoreContext.current
                let inner = await Task.detached { StoreContext.current }.value
                return [first, StoreContext.current, await child, inner, await Task { StoreContext.current }.value]
            }
            .value
        }
        #expect(met.allSatisfy { $0 === context } && met.count == 5)
        let made = context.run { Task.detached { StoreContext.current } }
        #expect(await made.value === context)
    }

    @Test func `What a detached task binds itself counts more than where it was made`() async {
        let (outer, inner) = (context(), context())
        let met = await outer.run {
            await Task.detached {
                let bound = await inner.run { await Task.detached { StoreContext.current }.value }
                return [bound, StoreContext.current]
            }
            .value
        }
        #expect(met[0] === inner && met[1] === outer)
    }

    @Test func `A detached task keeps its context, whoever resumes it`() async {
        let (mine, other) = (context(), context())
        let (steps, continuation) = AsyncStream<Void>.makeStream()
        let task = mine.run { detached(steps) }
        let (strangersSteps, strangersContinuation) = AsyncStream<Void>.makeStream()
        let stranger = detached(strangersSteps)
        for _ in 0..<100 {
            other.run {
                _ = continuation.yield()
                _ = strangersContinuation.yield()
            }
            await Task.yield()
        }
        continuation.finish()
        strangersContinuation.finish()
        let met = await task.value
        #expect(met.count == 101 && met.allSatisfy { $0 === mine })
        #expect(await stranger.value.allSatisfy { $0 === StoreContext.process })
    }

    @Test func `Detached tasks of many contexts at a time each have their own`() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let context = StoreContext(log: .silent)
                    let tasks = context.run {
                        (0..<20).map { _ in
                            Task.detached {
                                for _ in 0..<5 { await Task.yield() }
                                return StoreContext.current === context
                            }
                        }
                    }
                    for task in tasks where await !task.value { return false }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `A detached task does not keep the context in which it was made`() async {
        let (steps, continuation) = AsyncStream<Void>.makeStream()
        weak var released: StoreContext?
        let task: Task<Bool, Never>
        do {
            let context = StoreContext(log: .silent)
            released = context
            task = context.run {
                Task.detached {
                    for await _ in steps {}
                    return StoreContext.current === StoreContext.process
                }
            }
        }
        #expect(released == nil)
        continuation.finish()
        #expect(await task.value)
    }

    @Test func `Code without a context says how it has missed the one that it was begun in`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await withCheckedContinuation { continuation in
                StoreContext(log: .silent).run {
                    Thread.detachNewThread {
                        _ = SKPaymentQueue.canMakePayments()
                        continuation.resume()
                    }
                }
            }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Task.detached") && text.contains("context.run"))
    }
}
