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

    static func simulation(_ data: Data) throws -> ServerSimulation { try ServerSimulation(data, in: folder) }

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

    /// Returns the checked simulation of a server with a fault, for lives of single steps.
    static func setup(fault: String) throws -> ServerSetup {
        try ServerSetup(SimulationFile.read(file(["environment": ["FAULT": fault]])), in: folder)
    }
}
