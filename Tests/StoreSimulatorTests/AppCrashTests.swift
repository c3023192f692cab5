import Dispatch
import Foundation
import StoreCore
import TestSupport
import Testing

@testable import StoreSimulator

/// Apps that take the process with them, or never return.
@Suite(.promptly) struct AppCrashTests {
    private static let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func `The seed of a life that ended with its process is named, and tried first`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "seeds.txt").path
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let launches = Locked(0)
            try await AppSimulation(products: Self.products) { launch in
                // The third life.
                if launch.number == 0 { launches.withLock { $0 += 1 } }
                if launches.withLock({ $0 }) == 3 { fatalError("it crashes") }
                return launch
            }
            .invariant("none") { _ in true }
            .without(.elsewhere, .promotion, .family)
            .keepingSeeds(in: URL(filePath: path))
            .run(seed: 51, runs: 10, jobs: 1)
        }
        let said = Locked<[String]>([])
        var simulation = AppSimulation(products: Self.products) { $0 }
            .invariant("none") { _ in true }
            .without(.elsewhere, .promotion, .family)
            .keepingSeeds(in: URL(filePath: path))
        simulation.say = { line in said.withLock { $0.append(line) } }
        // As the app is now it does not crash: one life more.
        let copy = folder.appending(path: "other.txt")
        let left = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        try FileManager.default.copyItem(
            at: folder.appending(path: left),
            to: folder.appending(path: left.replacingOccurrences(of: "seeds.txt", with: "other.txt"))
        )
        #expect(try await simulation.run(seed: 90, runs: 2).runs == 3)
        #expect(said.withLock { $0 } == ["the process ended in a life of seed 53, tried first"])
        // It is told once.
        #expect(try await simulation.run(seed: 90, runs: 2).runs == 2)
        let failing = simulation.keepingSeeds(in: copy).invariant("fails") { _ in false }
        let failure = await #expect(throws: AppSimulationFailure.self) { try await failing.run(seed: 90, runs: 2) }
        #expect(failure?.seed == 53)
        // Nothing is left but the seed and its page.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == ["other-53.html", "other.txt"])
    }

    @Test func `A life that stands still is named, with its step`() async throws {
        #if canImport(Glibc)
            let call = ", in DispatchSemaphore.wait()"
        #else
            let call = ""
        #endif
        var said: [String] = []
        // On a busy machine, the step may stand still before its call: then with twice the time.
        for power in 0..<10 {
            let limit = Duration.milliseconds(20 << power)
            said = try await stall(after: limit)
            if said.contains(
                "a life of seed 4 has stood still for \(limit), at step 2, .action(\"block\")\(call)"
            ) {
                return
            }
        }
        Issue.record("\(said)")
    }

    /// Returns what is said of a life whose second step waits until it is named.
    private func stall(after limit: Duration) async throws -> [String] {
        let said = Locked<[String]>([])
        let isSaid = DispatchSemaphore(value: 0)
        var simulation = AppSimulation(products: Self.products) { $0 }
            .action("block") { _ in
                // The wait lasts only in an app that has threads.
                Thread {}.start()
                Self.wait(for: isSaid)
            }
            .invariant("none") { _ in true }
            .reportingStalls(after: limit)
        simulation.say = { line in
            said.withLock { $0.append(line) }
            // Another line may come before, of a machine that is busy.
            if line.contains("block") { isSaid.signal() }
        }
        try await simulation.run(seed: 4, steps: [.advance(hours: 1), .action("block")])
        return said.withLock { $0 }
    }

    @Test(arguments: [Duration.zero, .seconds(Int64.max)])
    func `Any time may be given after which a life counts as standing still`(limit: Duration) async throws {
        let lives = Locked(0)
        try await AppSimulation(products: Self.products) { launch in
            lives.withLock { $0 += 1 }
            return launch
        }
        .invariant("none") { _ in true }
        .reportingStalls(after: limit)
        .run(seed: 1, steps: [.advance(hours: 1)])
        #expect(lives.withLock { $0 } > 0)
    }

    @Test func `Seeds that several add at a time are all kept`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).seeds")
        defer { try? FileManager.default.removeItem(at: file) }
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<200 as Range<UInt64> {
                group.addTask { #expect(throws: Never.self) { try SeedFile(url: file).add(seed) } }
            }
        }
        #expect(try SeedFile(url: file).seeds().sorted() == Array(0..<200))
    }
}
