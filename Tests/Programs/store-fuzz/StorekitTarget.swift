import Foundation
import StoreCore

/// `.storekit` files; the seeds are the real ones among the tests' resources.
struct StorekitTarget: Target {
    private static let folder = URL(fileURLWithPath: "Tests/StoreCoreTests/Resources/storekit")

    func read(_ input: [UInt8]) { _ = try? StoreConfiguration(data: Data(input), name: "fuzz.storekit") }

    var seeds: [[UInt8]] {
        get throws {
            let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "storekit" }.sorted { $0.path < $1.path }
            let version = "\"version\":{\"major\":3,\"minor\":0}"
            let deep = String(repeating: "[", count: 20_000)
            let numbers = String(repeating: "1,", count: 20_000)
            let empty = String(repeating: "{},", count: 15_000)
            let hostile = [
                deep, String(deep.prefix(513)),
                "{\(version),\"products\":\(deep)", "{\(version),\"products\":[\(numbers)1]}",
                "{\(version),\"products\":[\(empty){}]}", "[\(numbers)1]", "{\"a\":[\(empty){}],\(version)}",
                String(repeating: "{\"a\":", count: 10_000), "{\(version),\"identifier\":1e999999999}",
            ]
            return try files.map { [UInt8](try Data(contentsOf: $0)) } + hostile.map { Array($0.utf8) }
        }
    }
}
