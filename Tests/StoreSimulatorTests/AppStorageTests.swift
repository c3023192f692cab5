import Foundation
import StoreCore
import StoreSimulator
import Testing

/// What an app keeps, and gets back.
@Suite struct AppStorageTests {
    private static let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    /// Something that can change where it is.
    private final class Bag: Codable, @unchecked Sendable {  // unchecked: the simulation has one thread
        var swords = 0
    }

    private struct Box: Codable, Sendable {
        var bag = Bag()
        var weight = Double.infinity
    }

    private struct Shut: Codable, Sendable {
        struct Failed: Error {}
        var isSealed: Bool

        init(isSealed: Bool) { self.isSealed = isSealed }

        init(from decoder: any Decoder) throws { throw Failed() }

        func encode(to encoder: any Encoder) throws {
            if isSealed { throw Failed() }
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    @Test func `An object that changes after it was written is what it was when it is read`() async throws {
        let simulation = AppSimulation(products: Self.products) { $0 }
            .action("keep") { launch in
                let box = Box()
                launch.storage["box"] = box
                box.bag.swords = 7
                launch.storage["bags"] = [box.bag]
                launch.storage["bags", default: [Bag]()].first?.swords = 9
            }
            .invariant("it is kept") { launch in
                guard let box = launch.storage["box"] as Box? else { return launch.number == 0 }
                return box.bag.swords == 0 && box.weight == .infinity && launch.storage["box"] as Bag? == nil
                    && launch.storage["bags", default: [Bag]()].first?.swords == 7
            }
        try await simulation.run(seed: 1, steps: [.action("keep"), .relaunch])
    }

    @Test func `A value may be of another type than the one before it`() async throws {
        let simulation = AppSimulation(products: Self.products) { $0 }
            .action("keep") { launch in
                launch.storage["swords"] = 1
                launch.storage["swords"] = 2
                launch.storage["name"] = 7
                launch.storage["name"] = "Excalibur"
                launch.storage["box"] = "none"
                let box = Box()
                launch.storage["box"] = box
                box.bag.swords = 7
                launch.storage["sold"] = 1
                launch.storage["sold"] = nil as Int?
            }
            .invariant("it is kept") { launch in
                if launch.number == 0 { return true }
                let storage = launch.storage
                let asOptional: Int?? = storage["swords"]
                return storage["swords"] == 2 && asOptional == 2 && storage["swords"] as String? == nil
                    && storage["name"] == "Excalibur" && storage["name"] as Int? == nil
                    && (storage["box"] as Box?)?.bag.swords == 0 && storage["box"] as String? == nil
                    && storage["sold"] as Int? == nil
            }
        try await simulation.run(seed: 1, steps: [.action("keep"), .relaunch])
    }

    @Test(arguments: [true, false]) func `What cannot be kept is reported`(isSealed: Bool) async throws {
        let simulation = AppSimulation(products: Self.products) { $0 }
            .action("keep") { launch in
                launch.storage["shut"] = Shut(isSealed: isSealed)
                if !isSealed { _ = launch.storage["shut"] as Shut? }
            }
            .invariant("none") { _ in true }
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: 1, steps: [.action("keep")])
        }
        let verb = isSealed ? "encoded" : "decoded"
        #expect(failure?.sentence == "what the app keeps under \"shut\" cannot be \(verb): Failed()")
    }
}
