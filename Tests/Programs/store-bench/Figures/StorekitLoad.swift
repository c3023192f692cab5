import Foundation
import StoreCore

extension Figure {
    static let storekitLoad = Figure(
        name: "storekit.load",
        summary: "reading a .storekit file of 10,000 products",
        unit: "ms",
        limit: 1.1
    ) {
        let file = try ConfigurationFile.write(products: count)
        return Cases(
            floor: { try sample { try PlainConfiguration.load(file) } },
            value: { try sample { try StorekitLoad.load(file) } },
            cleanUp: { try? FileManager.default.removeItem(at: file) }
        )
    }

    private static let count = 10_000

    private static func sample(_ load: () throws -> Int) throws -> Sample {
        try .milliseconds(of: count, "products were read", load)
    }
}

/// The value: the file read into a catalog; returns the number of products.
private enum StorekitLoad {
    static func load(_ file: URL) throws -> Int { try StoreConfiguration(contentsOf: file).products.count }
}
