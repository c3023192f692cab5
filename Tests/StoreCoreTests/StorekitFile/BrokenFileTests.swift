import Foundation
import StoreCore
import Testing

@Suite struct BrokenFileTests {
    @Test(arguments: BrokenFile.syntax + BrokenFile.products + BrokenFile.subscriptions + BrokenFile.rest)
    func `A broken file is refused with the place and both sides of the matter`(file: BrokenFile) throws {
        let error = try #require(throws: StoreConfigurationError.self) {
            try StoreConfiguration(data: Data(file.content.utf8), name: "Shop.storekit")
        }
        #expect(error.path == file.path)
        #expect(error.expected == file.expected)
        #expect(error.found == file.found)
        let place = file.path.isEmpty ? "" : "\(file.path): "
        let sentence = "Shop.storekit: \(place)expected \(file.expected), found \(file.found)"
        #expect(error.description == sentence)
        #expect(error.localizedDescription == sentence)
    }

    @Test func `A sound version of the broken files is read`() throws {
        let content = #"{"version": {"major": 4}, "products": [{\#(BrokenFile.sound)}]}"#
        let configuration = try StoreConfiguration(data: Data(content.utf8), name: "Shop.storekit")
        #expect(configuration.products.map(\.identifier) == ["a"])
    }

    @Test func `A file that is not there is named with its path`() throws {
        let url = URL(filePath: "/nowhere/Shop.storekit")
        let error = try #require(throws: StoreConfigurationError.self) { try StoreConfiguration(contentsOf: url) }
        #expect(error.description == "/nowhere/Shop.storekit: expected a file that can be read, found no such file")
    }

    @Test func `A directory is no file`() throws {
        let url = FileManager.default.temporaryDirectory
        let error = try #require(throws: StoreConfigurationError.self) { try StoreConfiguration(contentsOf: url) }
        #expect(error.expected == "a file that can be read")
        #expect(error.path.isEmpty)
        #expect(!error.found.isEmpty)
    }

    @Test func `A text that goes on and on is cut in the error`() throws {
        let endless = String(repeating: "x", count: 500)
        let content =
            #"{"version": {"major": 4}, "products": [{"productID": "a", "type": "\#(endless)", "displayPrice": "1"}]}"#
        let error = try #require(throws: StoreConfigurationError.self) {
            try StoreConfiguration(data: Data(content.utf8), name: "Shop.storekit")
        }
        #expect(error.found == "\"\(String(repeating: "x", count: 60))…\"")
    }
}
