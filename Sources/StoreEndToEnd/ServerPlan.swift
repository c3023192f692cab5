import Foundation
import StoreCore
import StoreServer
import StoreSimulator

/// The plan of a user's server in the simulation of an app.
struct ServerPlan: AppServerPlan {
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
