// The code of the article "Your server under the simulator", and of ServerSimulation's doc comments. What the article shows of a
// broken life is compared by StoreServer's tests.
import Foundation
import StoreServer
import Testing

@Suite struct ServerSimulationExamples {
    @Test func `A test of a server begins with the simulation's file, whose absence is an error`() async {
        let url = URL(filePath: "/nowhere/simulation.json")
        await #expect(throws: ServerSimulationError.self) {
            try await ServerSimulation(contentsOf: url).run(runs: 200)
        }
    }

    @Test func `The file of the server in Python is the gallery's`() throws {
        let article = try Document("Sources/StoreCore/StoreCore.docc/Articles/SimulatingYourServer.md")
        let shown = article.fences.filter { $0.language == "json" }.map {
            Self.object(Data($0.lines.joined(separator: "\n").utf8))
        }
        let gallery = Self.object(Data(try Document.text(".ci/servers/simulation.json").utf8))
        #expect(gallery != nil)
        #expect(shown == [gallery])
    }

    private static func object(_ data: Data) -> NSDictionary? {
        (try? JSONSerialization.jsonObject(with: data)) as? NSDictionary
    }
}
