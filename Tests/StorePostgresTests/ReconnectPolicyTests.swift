import Testing

@testable import StorePostgres

@Suite struct ReconnectPolicyTests {
    @Test func `Pauses grow twofold from 50 milliseconds to 5 seconds, and begin again behind a success`() {
        var policy = ReconnectPolicy()
        for _ in 1...2 {
            let pauses = (1...9).map { _ in policy.pauseAfterFailure() }
            #expect(pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5])
            for _ in 1...2000 { #expect(policy.pauseAfterFailure() == 5) }
            policy.succeeded()
        }
    }
}
