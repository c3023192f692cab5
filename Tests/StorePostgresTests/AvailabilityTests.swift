import StorePostgres
import Testing

@Suite struct AvailabilityTests {
    @Test(.enabled(if: !Postgres.isAvailable, "libpq is there"))
    func `Without libpq's header the opener throws the line that says what to install`() {
        let error = #expect(throws: PostgresDatabaseError.self) { try PostgresDatabase() }
        #expect(error?.code == .unavailable)
        #expect(error?.description == Postgres.advice)
    }

    @Test func `What to install is one line that names the package`() {
        #expect(Postgres.advice.contains("apt install libpq-dev"))
        #expect(!Postgres.advice.contains("\n"))
    }
}
