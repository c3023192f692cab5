import Foundation
import StoreCore
import StoreSimulator
import TestSupport
import Testing

/// What is printed when an app takes the process with it.
@Suite(.promptly) struct AppTrapTests {
    private static func simulation(_ end: @escaping @Sendable () -> Void) -> AppSimulation<AppLaunch> {
        AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }
            .action("end") { _ in end() }
            .invariant("none") { _ in true }
            .without(.elsewhere, .promotion, .family)
    }

    private static func text(_ result: ExitTest.Result?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func `A trap prints the life in which it happened`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.simulation { fatalError("it crashes") }
                .run(seed: 4, steps: [.advance(hours: 1), .action("end"), .relaunch])
        }
        let text = try Self.text(result)
        #expect(text.contains("it crashes"))
        #expect(text.contains("\nAppSimulation: the process ends by SIG"))
        let life = """
            in this life, at step 2:
            .run(seed: 4, steps: [
                .advance(hours: 1),
                .action("end"),
                .relaunch,
            ])

            """
        #expect(text.contains(life))
    }

    @Test func `A signal that is sent prints the life, and ends the process as before`() async throws {
        let result = await #expect(
            processExitsWith: .signal(SIGABRT),
            observing: [\.standardErrorContent]
        ) {
            try await Self.simulation { abort() }.run(seed: 9, runs: 10, jobs: 1)
        }
        let text = try Self.text(result)
        #expect(text.contains("AppSimulation: the process ends by SIGABRT\nin this life, at step "))
        #expect(text.contains(":\n.run(seed: 9, steps: ["))
    }

    @Test func `A trap at the launch or on a thread of the app prints the lives in progress`() async throws {
        let launch = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { launch -> AppLaunch in
                fatalError("at launch")
            }
            .invariant("none") { _ in true }
            .run(seed: 5, steps: [.relaunch])
        }
        #expect(try Self.text(launch).contains("in this life, at its first launch:\n.run(seed: 5, steps: ["))
        let thread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.simulation {
                let thread = Thread { fatalError("elsewhere") }
                thread.start()
                // Nobody signals it.
                DispatchSemaphore(value: 0).wait()
            }
            .run(seed: 6, steps: [.action("end")])
        }
        #expect(try Self.text(thread).contains("meanwhile, in another life, at step 1:\n.run(seed: 6, steps: ["))
    }

    @Test func `A stack overflow prints the life`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.simulation { print(Self.depth(0)) }.run(seed: 7, steps: [.action("end")])
        }
        #expect(try Self.text(result).contains("in this life, at step 1:\n.run(seed: 7, steps: ["))
    }

    @inline(never) private static func depth(_ number: Int) -> Int { number < 0 ? 0 : depth(number + 1) + 1 }

    @Test func `Nothing is printed once the simulation has ended`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.simulation {}.run(seed: 8, steps: [.relaunch])
            fatalError("later")
        }
        let text = try Self.text(result)
        #expect(text.contains("later") && !text.contains("AppSimulation"))
    }
}
