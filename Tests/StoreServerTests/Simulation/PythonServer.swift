import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// The files of a server in Python, which is right unless its environment orders a fault.
enum PythonServer {
    static let folder = Bundle.module.bundleURL.appending(path: "Server")

    static let isAvailable =
        MicroHTTPD.isAvailable && Libcrypto.isAvailable
        && (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/python3")
        }

    /// Returns the simulation's file with changed members.
    static func file(_ change: (inout [String: Any]) -> Void) throws -> Data {
        let data = try Data(contentsOf: folder.appending(path: "simulation.json"))
        var file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        change(&file)
        return try JSONSerialization.data(withJSONObject: file)
    }

    /// Returns the simulation's file with changed members of the server.
    static func file(_ members: [String: Any?]) throws -> Data {
        try file { file in
            var server = file["server"] as? [String: Any] ?? [:]
            for (name, value) in members { server[name] = value }
            file["server"] = server
        }
    }

    /// The seconds to wait for an answer: a server that a busy machine holds up has not broken a rule.
    static let patience = 60

    /// Returns the simulation of a file, whose paths are relative to a folder.
    static func simulation(
        _ data: Data,
        in folder: URL = PythonServer.folder,
        patience: Int = PythonServer.patience
    ) throws -> ServerSimulation {
        var simulation = try ServerSimulation(data, in: folder)
        simulation.patience = patience
        return simulation
    }

    static func simulation(fault: String) throws -> ServerSimulation {
        try simulation(file(["environment": ["FAULT": fault]]))
    }

    /// Returns the file of a server that chooses retention messages.
    static func retentionFile(fault: String = "") throws -> Data {
        try file([
            "environment": ["FAULT": fault, "MESSAGE": "00000000-0000-4000-8000-000000000001"],
            "retention": "/retention",
        ])
    }

    /// Returns the file of a server that sells a generic subscription, of which a customer may have several.
    static func genericFile(fault: String = "") throws -> Data {
        let pass = "com.example.shop.aca.generic.subscription"
        return try file { file in
            file["products"] = [["id": pass, "kind": "autoRenewable", "price": "4.99", "group": "requests"]]
            (file["allows"], file["holds"]) = ([pass: "$.products"], [:] as [String: String])
            var server = file["server"] as? [String: Any] ?? [:]
            server["environment"] = ["FAULT": fault]
            file["server"] = server
        }
    }

    /// Returns the checked simulation of a server with a fault, for lives of single steps.
    static func setup(fault: String) throws -> ServerSetup { try setup(file(["environment": ["FAULT": fault]])) }

    /// Returns the checked simulation of a file.
    static func setup(_ data: Data) throws -> ServerSetup {
        var setup = try ServerSetup(SimulationFile.read(data), in: folder)
        setup.patience = patience
        return setup
    }
}
