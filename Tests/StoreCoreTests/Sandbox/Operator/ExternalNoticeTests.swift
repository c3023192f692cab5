import Foundation
import Testing

@testable import StoreCore

/// The dates at which servers are notified of tokens for external purchases.
@Suite struct ExternalNoticeTests {
    private static let day: TimeInterval = 86_400
    private let start = Date(timeIntervalSince1970: 1_735_689_600)

    private func token(_ number: Int, days: Int, lifetime: Int?) -> ExternalPurchases.Token {
        ExternalPurchases.Token(
            account: AccountID(rawValue: 0),
            device: DeviceID(rawValue: 0),
            token: ExternalPurchaseToken(
                bundleId: "com.example.app",
                appAppleId: nil,
                isProduction: false,
                number: number,
                type: nil,
                date: start + Double(days) * Self.day,
                lifetime: lifetime.map { Double($0) * Self.day }
            )
        )
    }

    /// Tokens with changes, which a closure sees after each.
    @discardableResult
    private func change(_ times: Int, _ check: (ExternalPurchases) throws -> Void) rethrows -> ExternalPurchases {
        var (external, random) = (ExternalPurchases(), SplitMix64(seed: 7))
        for number in 0..<times {
            let days = Int.random(in: 0..<30, using: &random)
            let lifetime = Bool.random(using: &random) ? Int.random(in: 1..<200, using: &random) : nil
            external.add(token(number, days: days, lifetime: lifetime))
            try check(external)
            for _ in 0..<3 {
                guard let token = external.tokens.randomElement(using: &random) else { continue }
                let choice = Int.random(in: 0..<4, using: &random)
                let date = start + Double(Int.random(in: 0..<90, using: &random)) * Self.day
                external.change(token.token.externalPurchaseId) { token in
                    switch choice {
                    case 0: token.status = .duplicate
                    case 1: token.status = .lineItem
                    case 2: token.lastReminder = date
                    default: token.isTold = true
                    }
                }
                try check(external)
            }
        }
        return external
    }

    @Test func `The next notice is the earliest of all tokens after each change, and has the tokens of its date`() {
        var dates: Set<Date> = []
        change(120) { external in
            let next = external.tokens.compactMap(\.nextNotice).min()
            #expect(external.nextNotice == next)
            #expect(external.nextTokens == external.tokens.filter { next != nil && $0.nextNotice == next })
            if let next { dates.insert(next) }
        }
        #expect(dates.count > 10)
    }

    @Test func `A snapshot has the dates, and one of an older version, which has none, gets them`() throws {
        let external = change(40) { _ in }
        let data = try JSONEncoder().encode(external)
        #expect(try JSONDecoder().decode(ExternalPurchases.self, from: data) == external)
        var members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(members.removeValue(forKey: "notices") != nil)
        let old = try JSONSerialization.data(withJSONObject: members)
        let read = try JSONDecoder().decode(ExternalPurchases.self, from: old)
        #expect(read.nextNotice == external.nextNotice && read.tokens == external.tokens)
        #expect(read.nextTokens == external.nextTokens && !read.nextTokens.isEmpty)
    }
}
