import StoreContract
import StoreCore
import Testing

/// A store that breaks a promise is told which.
@Suite("Broken stores, for each of which the whole contract is checked") struct BrokenStoreTests {
    @Test(arguments: Fault.all) func `A broken store is caught by name`(fault: Fault) async {
        let report = await StoreContract.check(fault.subject)
        #expect(report.broken.filter { !fault.mayBreak.contains($0) } == fault.breaks, "\(report)")
    }

    @Test func `There is a broken store for every promise`() {
        let broken = Set(Fault.all.flatMap(\.breaks)).union([.opens])
        #expect(ContractPromise.allCases.filter { !broken.contains($0) } == [])
    }
}
