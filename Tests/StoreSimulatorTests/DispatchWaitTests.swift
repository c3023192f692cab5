#if canImport(Glibc)
    import Foundation
    import StoreCore
    import StoreSimulator
    import Testing

    /// Waits of a simulated launch's code for blocks and tasks.
    @Suite struct DispatchWaitTests {
        private typealias Notes = MainQueueTests.Notes

        @Test func `A block of the main queue waits for all blocks of a group`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in
                let group = DispatchGroup()
                DispatchQueue.main.async {
                    group.wait()
                    notes.add("empty")
                }
                for name in ["a", "b"] { DispatchQueue.global().async(group: group) { notes.add(name) } }
            }
            #expect(notes == ["a", "b", "empty"])
        }

        @Test func `A block off the main queue waits for one on it, and for a task of the main actor`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in
                DispatchQueue.global().async {
                    let semaphore = DispatchSemaphore(value: 0)
                    DispatchQueue.main.async { semaphore.signal() }
                    semaphore.wait()
                    notes.add("block")
                    Task { @MainActor in semaphore.signal() }
                    semaphore.wait()
                    notes.add("task")
                }
            }
            #expect(notes == ["block", "task"])
        }

        @Test func `A block of a global or concurrent queue waits for another one of it`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in
                let own = DispatchQueue(label: "own", qos: .utility, attributes: .concurrent)
                for (queue, name) in [(DispatchQueue.global(), "global"), (own, "own")] {
                    queue.async {
                        let semaphore = DispatchSemaphore(value: 0)
                        queue.async { semaphore.signal() }
                        semaphore.wait()
                        notes.add(name)
                    }
                }
            }
            // The block of the own queue runs while the first one waits.
            #expect(notes == ["own", "global"])
        }

        @Test func `A block of a serial queue waits for its turn while one of it, or of its target, waits`()
            async throws
        {
            for hasChild in [false, true] {
                let notes = try await MainQueueTests.notes { _, notes in
                    let root = DispatchQueue(label: "root", qos: .utility)
                    let semaphore = DispatchSemaphore(value: 0)
                    (hasChild ? DispatchQueue(label: "child", target: root) : root).async {
                        semaphore.wait()
                        notes.add("first")
                    }
                    root.async { notes.add("second") }
                    DispatchQueue.global().async { semaphore.signal() }
                }
                #expect(notes == ["first", "second"])
            }
        }

        @Test func `A wait that nothing ends is reported`() async throws {
            for (call, wait) in Self.endless {
                let failure = await #expect(throws: AppSimulationFailure.self) {
                    _ = try await MainQueueTests.notes { _, _ in DispatchQueue.global().async { wait() } }
                }
                #expect(failure?.sentence == "the app waits in \(call) for something that never comes")
            }
        }

        private static var endless: [(String, @Sendable () -> Void)] {
            [
                ("DispatchSemaphore.wait()", { DispatchSemaphore(value: 0).wait() }),
                (
                    "DispatchGroup.wait()",
                    {
                        let group = DispatchGroup()
                        group.enter()
                        group.wait()
                        group.leave()
                    }
                ),
                (
                    "DispatchSemaphore.wait()",
                    {
                        let semaphore = DispatchSemaphore(value: 0)
                        DispatchQueue.main.async {
                            DispatchQueue.main.async { semaphore.signal() }
                            semaphore.wait()
                        }
                    }
                ),
            ]
        }

        @Test func `A wait of a killed process ends, and is no mistake`() async throws {
            let notes = try await MainQueueTests.notes(steps: [.kill(after: 1), .action("go"), .action("look")]) {
                launch,
                notes in
                launch.storage["dead"] = true
                Self.waitForNothing()
                notes.add("waited")
            }
            #expect(notes == ["waited", "look"])
        }

        private static func waitForNothing() { DispatchSemaphore(value: 0).wait() }

        @Test func `Endless blocks of a group that is waited for are reported`() async throws {
            let failure = await #expect(throws: AppSimulationFailure.self) {
                _ = try await MainQueueTests.notes { _, _ in
                    let group = DispatchGroup()
                    Self.repeatForever(group)
                    Self.wait(for: group)
                }
            }
            #expect(failure?.sentence == "the app never comes to rest")
        }

        private static func repeatForever(_ group: DispatchGroup) {
            DispatchQueue.global().async(group: group) { repeatForever(group) }
        }

        private static func wait(for group: DispatchGroup) { group.wait() }

        @Test func `Time passes for the app while it waits`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in Self.waitForDelayed(notes) }
            #expect(notes == ["2 s", "signaled in time", "timed out", "9 s"])
        }

        private static func waitForDelayed(_ notes: Notes) {
            let (semaphore, start) = (DispatchSemaphore(value: 0), DispatchTime.now())
            func seconds() -> UInt64 {
                (DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000_000
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { semaphore.signal() }
            semaphore.wait()
            notes.add("\(seconds()) s")
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { semaphore.signal() }
            if semaphore.wait(timeout: .now() + 3) == .success { notes.add("signaled in time") }
            if semaphore.wait(timeout: .now() + 5) == .timedOut { notes.add("timed out") }
            notes.add("\(seconds()) s")
        }

        @Test func `A thread of the app's own ends a wait`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in Self.waitForThread(notes) }
            #expect(notes == ["signaled"])
        }

        private static func waitForThread(_ notes: Notes) {
            let semaphore = DispatchSemaphore(value: 0)
            Thread { semaphore.signal() }.start()
            semaphore.wait()
            notes.add("signaled")
        }

        @Test func `An operation queue of the app's own is waited for`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in Self.waitForOperations(notes) }
            #expect(notes.sorted() == ["all", "operation", "operation"])
            #expect(notes.last == "all")
        }

        private static func waitForOperations(_ notes: Notes) {
            let queue = OperationQueue()
            for _ in 0..<2 { queue.addOperation { notes.add("operation") } }
            queue.waitUntilAllOperationsAreFinished()
            notes.add("all")
        }

        @Test func `A work item notifies after it was waited for, or was called by sync`() async throws {
            let notes = try await MainQueueTests.notes { _, notes in Self.waitForItems(notes) }
            #expect(notes == ["item", "called", "item done", "called done"])
        }

        private static func waitForItems(_ notes: Notes) {
            let item = DispatchWorkItem { notes.add("item") }
            DispatchQueue.global().async(execute: item)
            item.wait()
            item.notify(queue: .main) { notes.add("item done") }
            let called = DispatchWorkItem { notes.add("called") }
            called.notify(queue: .main) { notes.add("called done") }
            DispatchQueue(label: "own").sync(execute: called)
        }
    }
#endif
