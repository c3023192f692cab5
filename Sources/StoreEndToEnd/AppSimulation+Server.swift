import Foundation
import StoreCore
import StoreServer
import StoreSimulator

extension AppSimulation {
    /// Adds the app's own server to each life.
    ///
    /// ```swift
    /// AppSimulation(products: products) { await Shop($0) }
    ///     .action("buy coins") { try await $0.buy("coins") }
    ///     .action("subscribe") { try await $0.buy("pro.monthly") }
    ///     .withServer(server)
    /// ```
    ///
    /// The app reaches the server by `AppLaunch.server`, and names its user by `AppLaunch.customer`, which is `{customer}` in
    /// the server's file. The file's products, uploads, steps and runs are not used: the app's store sells the products,
    /// and the app itself uploads.
    ///
    /// The seed determines when the app and the server are killed, which of their messages are lost, and whether a
    /// notification arrives before the app's own request. No transaction may be finished before the server has credited it.
    /// At the end of each life, the server has to say what the store knows.
    ///
    /// A run throws a `ServerSimulationError` if a library is missing that the store's servers need, if the server cannot
    /// be started, or if its file names a product that the app's store does not sell.
    ///
    /// - Parameter server: the simulation's file of the server.
    /// - Returns: the simulation with the server.
    public func withServer(_ server: ServerSimulation) -> Self { withServer(ServerPlan(server)) }
}

/// The plan of a user's server in the simulation of an app.
private struct ServerPlan: AppServerPlan {
    private let simulation: ServerSimulation

    init(_ simulation: ServerSimulation) { self.simulation = simulation }

    var mostJobs: Int? { simulation.isStarted ? nil : 1 }

    func check(_ products: [SandboxProduct]) throws { try simulation.checkProducts(products) }

    func start() throws -> any AppServerHost { Host(try simulation.makeServer()) }

    private final class Host: AppServerHost {
        private let server: ServerUnderTest

        init(_ server: ServerUnderTest) { self.server = server }

        var bundle: String { server.bundle }

        func signer(clock: ManualClock) throws -> any ReceiptSigner { try server.signer(clock: clock) }

        func life(_ store: SandboxStore, customers: [(account: String, identifier: String)]) -> any AppServerLife {
            ServedLife(
                ServerNetwork(server, store),
                customers.map { SimulatedCustomer(name: $0.account, identifier: $0.identifier) }
            )
        }
    }
}
