import Foundation
import StoreCore
import Testing

/// Ledgers that were written and read again.
enum LedgerCopy {
    /// A ledger with the same records, written as text and read again.
    static func rewritten(_ ledger: any Ledger) throws -> (MemoryLedger, text: String) {
        let data = try JSONEncoder().encode(try ledger.read(after: 0, limit: 1000))
        let copy = MemoryLedger()
        let records = try JSONDecoder().decode([LedgerRecord].self, from: data)
        #expect(copy.append(records, ifHeadIs: 0))
        return (copy, String(decoding: data, as: UTF8.self))
    }
}
