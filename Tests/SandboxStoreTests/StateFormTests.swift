import Foundation
import StoreSQLite
import Testing

@testable import sandbox_store

/// The file with a store's time and settings, in each form that a version has written.
@MainActor
@Suite(.enabled(if: SQLite.isAvailable, "SQLite is missing"))
struct StateFormTests {
    private let directory: Directory
    private let path: String

    init() throws {
        directory = try Directory()
        path = directory.url.appending(path: "shop.db").path
        try #require(Run("--store", path, "init", SandboxStoreTool.demoFile.path).code == 0)
    }

    private func place(_ state: String) throws { try Data(state.utf8).write(to: URL(filePath: path + ".state")) }

    @Test(arguments: [
        // The first form; then with clocks that run and stop, and with keys elsewhere.
        #"{"now":788918400,"settings":["purchase-failure paymentInvalid"]}"#,
        #"{"now":788918400,"lead":3600,"isStopped":true,"settings":["purchase-failure paymentInvalid"]}"#,
        #"{"keys":"others","now":788918400,"settings":["purchase-failure paymentInvalid"]}"#,
    ]) func `A state of each form is read, and sold on from`(state: String) throws {
        try place(state)
        #expect(Run("--store", path, "status").output.contains("2026-01-01T00:00:00Z"))
        #expect(Run("--store", path, "buy", "consumable").output.contains("failed, paymentInvalid"))
        #expect(Run("--store", path, "purchase-failure", "off").code == 0)
        #expect(Run("--store", path, "buy", "consumable").output.contains("consumable: purchased"))
    }

    @Test func `A setting of a newer version is refused with its line, and the file is left as it is`() throws {
        let state = #"{"now":788918400,"settings":["weather rainy"]}"#
        try place(state)
        let refused = Run("--store", path, "buy", "consumable")
        #expect(refused.code == 1 && refused.complaints.contains("weather rainy: \"weather\" is not a command"))
        #expect(try Data(contentsOf: URL(filePath: path + ".state")) == Data(state.utf8))
    }
}
