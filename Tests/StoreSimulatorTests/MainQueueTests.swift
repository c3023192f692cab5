#if canImport(Glibc)
    import Foundation
    import StoreCore
    import StoreKit
    import StoreSimulator
    import Testing

    /// Blocks of dispatch queues and run loops in a simulated launch, in language mode 6.
    @Suite struct MainQueueTests {
        private static let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

        /// Runs an action in a life, and returns what it has noted.
        static func notes(
            steps: [AppStep] = [.action("go")],
            _ body: @escaping @Sendable (AppLaunch, Notes) async throws -> Void
        ) async throws -> [String] {
            let notes = Notes()
            try await AppSimulation(products: products) { $0 }
                .action("go") { try await body($0, notes) }
                .action("look") { _ in notes.add("look") }
                .invariant("none") { _ in true }
                .run(seed: 1, steps: steps)
            return notes.all
        }

        final class Notes: Sendable {
            private let lines = Locked<[String]>([])
            var all: [String] { lines.withLock { $0 } }
            func add(_ line: String) { lines.withLock { $0.append(line) } }
        }

        // MARK: Order

        @Test func `Blocks of all queues, operations and tasks run in the order of their submission`() async throws {
            for _ in 0..<3 {
                let notes = try await Self.notes { _, notes in
                    DispatchQueue.main.async { notes.add("main queue") }
                    Task { @MainActor in notes.add("main actor") }
                    DispatchQueue.main.async(execute: DispatchWorkItem { notes.add("work item") })
                    RunLoop.main.perform { notes.add("run loop") }
                    DispatchQueue(label: "own").async { notes.add("own queue") }
                    Task { notes.add("task") }
                    DispatchQueue.global().async(qos: .background) { notes.add("global queue") }
                    DispatchQueue.main.async(group: DispatchGroup()) { notes.add("group") }
                    DispatchQueue(label: "c", attributes: .concurrent).async(flags: .barrier) { notes.add("barrier") }
                    notes.add("submitted")
                }
                #expect(
                    notes == [
                        "submitted", "main queue", "main actor", "work item", "run loop", "own queue", "global queue",
                        "group", "barrier", "task",
                    ]
                )
            }
        }

        @Test func `Operations of the main queue run one after another, and MainActor.run on the same thread`()
            async throws
        {
            let notes = try await Self.notes { _, notes in
                let thread = pthread_self()
                for number in 1...3 {
                    OperationQueue.main.addOperation {
                        if pthread_self() == thread { notes.add("operation \(number)") }
                    }
                }
                await Task.detached {
                    await MainActor.run { if pthread_self() == thread { notes.add("main actor") } }
                }
                .value
            }
            #expect(notes.filter { $0 != "main actor" } == ["operation 1", "operation 2", "operation 3"])
            #expect(notes.contains("main actor"))
        }

        @Test func `A block sees the launch's payment queue`() async throws {
            let notes = try await Self.notes(steps: [.action("go"), .advance(hours: 1)]) { _, notes in
                let queue = SKPaymentQueue.default()
                DispatchQueue.main.async { if SKPaymentQueue.default() === queue { notes.add("main") } }
                DispatchQueue.global().async { if SKPaymentQueue.default() === queue { notes.add("global") } }
                DispatchQueue.main.asyncAfter(deadline: .now() + 60) {
                    if SKPaymentQueue.default() === queue { notes.add("later") }
                }
            }
            #expect(notes == ["main", "global", "later"])
        }

        // MARK: Isolation

        @MainActor private static func noteOnMainActor(_ notes: Notes) { notes.add("main actor") }

        @Test func `A block of the main queue is on the main actor and on the main queue`() async throws {
            let notes = try await Self.notes { _, notes in
                DispatchQueue.main.async {
                    dispatchPrecondition(condition: .onQueue(.main))
                    MainActor.preconditionIsolated()
                    MainActor.assumeIsolated { Self.noteOnMainActor(notes) }
                    Self.noteOnMainActor(notes)
                }
                let own = DispatchQueue(label: "own")
                let key = DispatchSpecificKey<String>()
                own.setSpecific(key: key, value: "mine")
                own.async {
                    dispatchPrecondition(condition: .onQueue(own))
                    dispatchPrecondition(condition: .notOnQueue(.main))
                    notes.add(DispatchQueue.getSpecific(key: key) ?? "none")
                    DispatchQueue.main.sync {
                        dispatchPrecondition(condition: .onQueue(.main))
                        MainActor.assumeIsolated { Self.noteOnMainActor(notes) }
                    }
                }
            }
            #expect(notes == ["main actor", "main actor", "mine", "main actor"])
        }

        @Test func `A block of another queue is not on the main actor`() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await Self.notes { _, notes in
                    DispatchQueue.global().async { MainActor.assumeIsolated { Self.noteOnMainActor(notes) } }
                }
            }
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(
                text.contains("code of the main actor runs outside of it") || text.contains("Incorrect actor executor")
            )
        }

        @Test func `Code that must not run on a queue names it`() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = try await Self.notes { _, _ in
                    let queue = DispatchQueue(label: "ledger")
                    queue.async { dispatchPrecondition(condition: .notOnQueue(queue)) }
                }
            }
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("code that must not run on the queue ledger runs on it"))
        }

        @Test func `A synchronous block of a lock's queue is on the main actor where its caller is`() async throws {
            let notes = try await Self.notes { _, notes in
                let lock = DispatchQueue(label: "lock")
                DispatchQueue.main.async { lock.sync { MainActor.assumeIsolated { Self.noteOnMainActor(notes) } } }
                DispatchQueue.global().async {
                    DispatchQueue.main.sync { lock.sync { MainActor.assumeIsolated { Self.noteOnMainActor(notes) } } }
                }
            }
            #expect(notes == ["main actor", "main actor"])
        }

        @Test func `A queue's target counts as its own`() async throws {
            let notes = try await Self.notes { _, notes in
                let root = DispatchQueue(label: "root")
                let key = DispatchSpecificKey<String>()
                root.setSpecific(key: key, value: "of root")
                DispatchQueue(label: "child", target: root).async {
                    dispatchPrecondition(condition: .onQueue(root))
                    notes.add(DispatchQueue.getSpecific(key: key) ?? "none")
                }
                let thread = pthread_self()
                let main = DispatchQueue(label: "main", target: .main)
                main.async {
                    dispatchPrecondition(condition: .onQueue(.main))
                    MainActor.assumeIsolated { Self.noteOnMainActor(notes) }
                }
                DispatchQueue.global().async { main.sync { if pthread_self() == thread { notes.add("in place") } } }
            }
            #expect(notes == ["of root", "main actor", "in place"])
        }

        @Test func `Foundation knows the main thread`() async throws {
            let notes = try await Self.notes { _, notes in
                DispatchQueue.main.async {
                    notes.add("main queue \(Thread.isMainThread)")
                    DispatchQueue(label: "lock").sync { notes.add("lock \(Thread.isMainThread)") }
                }
                Task { @MainActor in notes.add("main actor \(Thread.isMainThread)") }
                DispatchQueue.global().async { notes.add("global \(Thread.isMainThread)") }
            }
            #expect(notes == ["main queue true", "lock true", "main actor true", "global false"])
        }

        // MARK: Waiting

        @Test func `A synchronous block runs after those that were submitted to its queue before`() async throws {
            let notes = try await Self.notes { _, notes in
                let queue = DispatchQueue(label: "own")
                queue.async { notes.add("first") }
                DispatchQueue.main.async { notes.add("main") }
                queue.async { notes.add("second") }
                notes.add(queue.sync { "third" })
                notes.add(queue.sync(flags: .barrier) { "fourth" })
                DispatchQueue.global().sync { notes.add("fifth") }
            }
            #expect(notes == ["first", "second", "third", "fourth", "fifth", "main"])
        }

        @Test func `A synchronous block of the main queue runs in place on the main actor`() async throws {
            let notes = try await Self.notes { _, notes in
                DispatchQueue.main.async {
                    DispatchQueue.main.async { notes.add("later") }
                    DispatchQueue.main.sync { notes.add("in place") }
                }
            }
            #expect(notes == ["in place", "later"])
        }

        @Test func `A semaphore, a group and a work item wait for blocks of other queues`() async throws {
            let notes = try await Self.notes { _, notes in Self.waitForAll(notes) }
            #expect(notes == ["a", "signaled", "b", "c", "empty", "d", "done", "timed out"])
        }

        private static func waitForAll(_ notes: Notes) {
            let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
            DispatchQueue.global().async {
                notes.add("a")
                semaphore.signal()
            }
            semaphore.wait()
            notes.add("signaled")
            DispatchQueue.global().async(group: group) { notes.add("b") }
            group.enter()
            DispatchQueue(label: "own").async {
                notes.add("c")
                group.leave()
            }
            group.wait()
            notes.add("empty")
            let item = DispatchWorkItem { notes.add("d") }
            DispatchQueue.global().async(execute: item)
            item.wait()
            notes.add("done")
            if semaphore.wait(timeout: .now() + 3_600) == .timedOut { notes.add("timed out") }
        }

        @Test func `A group and a work item notify the main queue`() async throws {
            let notes = try await Self.notes { _, notes in
                let group = DispatchGroup()
                group.notify(queue: .main) { notes.add("was empty") }
                group.enter()
                DispatchQueue.global().async(group: group) { notes.add("a") }
                group.notify(queue: .main) { notes.add("all") }
                DispatchQueue.main.async {
                    notes.add("b")
                    group.leave()
                }
                let item = DispatchWorkItem { notes.add("item") }
                item.notify(queue: .main) { notes.add("item done") }
                DispatchQueue.main.async(execute: item)
                let canceled = DispatchWorkItem { notes.add("canceled") }
                DispatchQueue.main.async(execute: canceled)
                canceled.cancel()
            }
            #expect(notes == ["was empty", "a", "b", "item", "all", "item done"])
        }

        @Test func `A queue that waits for itself is named`() async throws {
            let failure = await #expect(throws: AppSimulationFailure.self) {
                _ = try await Self.notes { _, _ in
                    let queue = DispatchQueue(label: "ledger")
                    queue.async { queue.sync {} }
                }
            }
            #expect(
                failure?.sentence
                    == "the app calls sync on the queue ledger in a block of this queue, which never returns"
            )
        }

        @Test func `Concurrent iterations run in order on the life's thread`() async throws {
            let notes = try await Self.notes { _, notes in
                let thread = pthread_self()
                DispatchQueue.concurrentPerform(iterations: 3) { number in
                    if pthread_self() == thread { notes.add("\(number)") }
                }
            }
            #expect(notes == ["0", "1", "2"])
        }

        // MARK: Time

        @Test func `A delayed block waits for the life's clock`() async throws {
            let hour = AppStep.advance(hours: 1)
            let notes = try await Self.notes(steps: [.action("go"), .action("look"), hour, .action("look"), hour]) {
                launch,
                notes in
                let start = DispatchTime.now()
                DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(5_400)) {
                    MainActor.preconditionIsolated()
                    notes.add(
                        "90 minutes, \((DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000_000)"
                    )
                }
                DispatchQueue.global().asyncAfter(wallDeadline: .now() + 3_600) { notes.add("an hour") }
                DispatchQueue.main.asyncAfter(deadline: .now()) { notes.add("at once") }
                let canceled = DispatchWorkItem { notes.add("canceled") }
                DispatchQueue.main.asyncAfter(deadline: .now() + 1, execute: canceled)
                canceled.cancel()
            }
            #expect(notes == ["at once", "look", "an hour", "look", "90 minutes, 5400"])
        }

        @Test func `Timers fire by the life's clock`() async throws {
            let hour = AppStep.advance(hours: 1)
            let source = Locked<(any DispatchSourceTimer)?>(nil)
            let notes = try await Self.notes(steps: [.action("go"), .action("look"), hour, .action("look"), hour]) {
                _,
                notes in
                let timer = DispatchSource.makeTimerSource(queue: .main)
                timer.schedule(deadline: .now() + 1_200, repeating: 1_800)
                timer.setEventHandler {
                    MainActor.preconditionIsolated()
                    notes.add("source")
                    if notes.all.filter({ $0 == "source" }).count == 3 { source.withLock { $0?.cancel() } }
                }
                timer.setCancelHandler { notes.add("canceled") }
                timer.resume()
                source.withLock { $0 = timer }
                Self.startTimer(notes)
            }
            #expect(
                notes == ["look", "source", "timer", "source", "look", "source", "canceled"]
            )
        }

        private static func startTimer(_ notes: Notes) {
            _ = Timer.scheduledTimer(withTimeInterval: 1_500, repeats: false) { _ in notes.add("timer") }
        }

        @Test func `A timer that was added for two modes fires once, when its date has been moved`() async throws {
            let steps = [AppStep.action("go"), .advance(hours: 1), .action("look"), .advance(hours: 2)]
            let notes = try await Self.notes(steps: steps) { _, notes in Self.startMovedTimer(notes) }
            #expect(notes == ["look", "timer"])
        }

        private static func startMovedTimer(_ notes: Notes) {
            let timer = Timer.scheduledTimer(withTimeInterval: 1_500, repeats: false) { _ in notes.add("timer") }
            RunLoop.main.add(timer, forMode: .common)
            timer.fireDate = timer.fireDate + 3_600
        }

        // MARK: Kills and budgets

        @Test func `Blocks of an ended launch have no effect, and the next launch does not see them`() async throws {
            let (notes, stored) = (Notes(), Notes())
            try await AppSimulation(products: Self.products) { launch in
                notes.add("launch \(launch.number)")
                return launch
            }
            .action("go") { launch in
                DispatchQueue.main.asyncAfter(deadline: .now() + 60) {
                    launch.storage["late"] = true
                    notes.add("late")
                }
            }
            .action("look") { launch in
                notes.add("look")
                if launch.storage["late"] == true { stored.add("late") }
            }
            .invariant("none") { _ in true }
            .run(
                seed: 1,
                steps: [.action("go"), .relaunch, .advance(hours: 1), .action("look"), .relaunch, .action("look")]
            )
            let seen = notes.all.filter { $0 != "late" }
            #expect(Array(notes.all.prefix(seen.count)) == seen)
            #expect(notes.all.contains("look"))
            #expect(stored.all.isEmpty)
        }

        @Test func `An app whose blocks never end is reported`() async throws {
            let failure = await #expect(throws: AppSimulationFailure.self) {
                _ = try await Self.notes { _, _ in Self.repeatForever() }
            }
            #expect(failure?.sentence == "the app never comes to rest")
        }

        private static func repeatForever() { DispatchQueue.main.async { repeatForever() } }

        @Test func `Lives on two threads do not see each other's blocks`() async throws {
            let (strays, blocks) = (Locked(0), Locked(0))
            try await Stall.simulation(isInline: false)
                .action("go") { _ in
                    let thread = pthread_self()
                    for queue in [DispatchQueue.global(), .main] {
                        queue.async {
                            blocks.withLock { $0 += 1 }
                            if pthread_self() != thread { strays.withLock { $0 += 1 } }
                        }
                    }
                }
                .run(runs: 40, jobs: 2)
            #expect(blocks.withLock { $0 } > 0)
            #expect(strays.withLock { $0 } == 0)
        }
    }
#endif
