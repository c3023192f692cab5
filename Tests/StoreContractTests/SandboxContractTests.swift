import StoreContract
import StoreCore
import Testing

/// The stores in the box keep every promise.
@Suite struct SandboxContractTests {
    @Test func `The sandbox keeps every promise`() async {
        let report = await StoreContract.check(.sandbox())
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }
}
