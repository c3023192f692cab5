import Foundation
import StoreCore
import StoreSimulator
import TestSupport
import Testing

/// Other code that hooks into Swift's runtime.
///
/// The tests have a process to themselves.
@Suite(.promptly) struct AppHookTests {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

    /// The place of the runtime's hook.
    private static var place: UnsafeMutablePointer<EnqueueHook?>? {
        dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook")?.assumingMemoryBound(to: EnqueueHook?.self)
    }

    private static let jobs = Locked(0)

    private static let counting: EnqueueHook = { job, original in
        jobs.withLock { $0 += 1 }
        original(job)
    }

    private static func live() async throws {
        try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
            .invariant("none") { _ in true }
            .run(seed: 1, steps: [.relaunch])
    }

    @Test func `Hooks that were set before are called for other threads`() async {
        await #expect(processExitsWith: .success) {
            Self.place?.pointee = Self.counting
            try await Self.live()
            let before = Self.jobs.withLock { $0 }
            await Task.detached { await Task.yield() }.value
            #expect(Self.jobs.withLock { $0 } > before)
        }
    }

    @Test func `Hooks that others have set since are an error`() async {
        await #expect(processExitsWith: .success) {
            try await Self.live()
            Self.place?.pointee = Self.counting
            let error = await #expect(throws: (any Error).self) { try await Self.live() }
            #expect("\(error as (any Error)?)".contains("has replaced the hooks of Swift's runtime"))
        }
    }
}
