import Foundation
import StoreCrypto
import StoreServer

/// The server in Python of StoreServer's tests, for the apps here.
enum ShopServer {
    static let isAvailable =
        MicroHTTPD.isAvailable && Libcrypto.isAvailable
        && (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/python3")
        }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../StoreServerTests/Simulation/Server").standardizedFileURL

    /// Returns the simulation of the server, which makes one mistake if its name is given.
    static func simulation(fault: String = "") throws -> ServerSimulation { try simulation(file(fault: fault)) }

    private static func simulation(_ file: String) throws -> ServerSimulation {
        var simulation = try ServerSimulation(Data(file.utf8), in: folder)
        // A server that a busy machine holds up has not broken a rule.
        simulation.patience = 60
        return simulation
    }

    static func file(fault: String = "", holds: String = "coins") -> String {
        """
        {
            "products": [
                { "id": "\(holds)", "price": "0.99" },
                { "id": "pro.monthly", "kind": "autoRenewable", "price": "4.99", "group": "pro" }
            ],
            "bundle": "com.example.shop",
            "server": {
                "command": ["python3", "server.py"],
                "environment": { "FAULT": "\(fault)" },
                "url": "http://127.0.0.1:{port}",
                "ready": "/health",
                "notifications": "/notifications",
                "access": "/customers/{customer}/access?now={now}",
                "reset": "/reset"
            },
            "allows": { "pro.monthly": "$.products" },
            "holds": { "\(holds)": "$.coins" },
            "takesBackRefunds": true
        }
        """
    }

    /// Returns the simulation of a server that counts a product of another name.
    static func simulation(holding product: String) throws -> ServerSimulation {
        try simulation(file(holds: product))
    }
}
