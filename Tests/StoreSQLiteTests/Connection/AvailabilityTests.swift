import Foundation
import StoreSQLite
import Testing

@Suite struct AvailabilityTests {
    @Test(.enabled(if: !SQLite.isAvailable, "SQLite is there"))
    func `Without SQLite's header the opener throws the line that says what to install`() {
        let file = FileManager.default.temporaryDirectory.appending(path: "StoreSQLite-\(UUID()).sqlite")
        let trouble = #expect(throws: SQLiteDatabaseError.self) { try SQLiteDatabase(at: file) }
        #expect(trouble?.code == .unavailable)
        #expect(trouble?.description == SQLite.advice)
        #expect(!FileManager.default.fileExists(atPath: file.path(percentEncoded: false)))
    }

    @Test func `What to install is one line that names the package`() {
        #expect(SQLite.advice.contains("apt install libsqlite3-dev"))
        #expect(!SQLite.advice.contains("\n"))
    }
}
