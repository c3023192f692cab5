import Foundation
import StoreCore
import StoreEndToEnd
import StoreServer
import StoreSimulator
import Testing

// Who depends on the products can give a simulated app its server. No server is started for a file with a mistake.
@Test func `A simulated app has a server of its own`() async throws {
    let file = """
        {
            "products": [{ "id": "shield", "price": "0.99" }],
            "bundle": "com.example.shop",
            "server": {
                "command": ["true"], "url": "http://127.0.0.1:{port}", "notifications": "/notifications", "access": "/access",
                "reset": "/reset"
            },
            "holds": { "shield": "$.shields" }
        }
        """
    let server = try ServerSimulation(Data(file.utf8), in: URL(filePath: "/"))
    let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { $0 }.withServer(server)
    await #expect(throws: ServerSimulationError.self) { try await simulation.run(runs: 1) }
}
