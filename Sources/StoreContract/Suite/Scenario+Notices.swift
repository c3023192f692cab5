import Foundation
import StoreCore

extension Scenario {
    /// The scenario of revocations and promoted purchases, which need an action of the operator or the user.
    static let notifying = Scenario(promises: [.noticesTold, .noticesShown, .noticesEnd]) { harness in
        let notices = try harness.notices()
        guard !notices.isEmpty else { throw Stop(reason: "the subject has no way to revoke or to promote") }
        var places: [UpdateCursor] = []
        for notice in notices {
            try harness.quiet()
            guard let main = harness.main, let place = harness.look({ main.cursor(in: $0) }) else { return }
            places.append(place)
            try harness.act(notice.name, notice.act)
            let isTold = harness.wait { main.news(in: $0).contains(where: notice.isIt) }
            harness.results.hold(.noticesTold, isTold, "a receiver did not hear of \(notice.name)")
            guard isTold else { throw Stop(reason: "\(notice.name) is not told") }
        }
        // Connects from a cursor before the first notice.
        let line = try harness.connect(after: places[0])
        let hasAll = harness.wait { trace in notices.allSatisfy { line.news(in: trace).contains(where: $0.isIt) } }
        harness.results.hold(.noticesTold, hasAll, "a receiver that resumed did not hear of what was told meanwhile")
        try harness.disconnect(line)
        try harness.expect(notices, over: [], "")

        // Acknowledges one notice after another; the notices after the acknowledged cursor must remain.
        for place in places + [nil] {
            guard let main = harness.main, let end = harness.look({ main.cursor(in: $0) }) else { return }
            try harness.call(.noticesEnd, "an acknowledgement") { $0.acknowledge(through: place ?? end) }
            let count = place.flatMap { places.firstIndex(of: $0) } ?? notices.count
            let when = count == 0 ? " after what came before was acknowledged" : " after \(count) were acknowledged"
            try harness.expect(Array(notices[count...]), over: Array(notices[..<count]), when)
            if count == 0, harness.store.reopen != nil {
                try harness.reopen()
                try harness.expect(notices, over: [], " after the store was opened again")
            }
        }
    }

    /// The scenario of a store that moves to another country.
    static let moving = Scenario(promises: [.storefrontTold]) { harness in
        guard let change = harness.store.changeStorefront else {
            throw Stop(reason: "the subject has no way to change the storefront")
        }
        guard let main = harness.main else { return }
        try harness.act("a change of the storefront", change)
        let isTold = harness.wait { main.news(in: $0).contains(where: \.isStorefront) }
        harness.results.hold(.storefrontTold, isTold, "a receiver did not hear of a change of the storefront")
        guard isTold, case .storefront(let told)? = harness.look({ main.news(in: $0).last(where: \.isStorefront) })
        else {
            return
        }
        let named: StoreStorefront?? = try harness.call(.storefrontTold, "a question for the storefront") {
            $0.services.storefront.map(\.storefront)
        }
        let why =
            "the storefront \(told?.countryCode ?? "nil") is told, and the service "
            + (named == nil ? "for it is missing" : "names another one")
        harness.results.hold(.storefrontTold, named == .some(told), why)
    }
}

/// An update that is sent until it is acknowledged, and the action that causes it.
private struct Notice {
    let name: String
    let act: @Sendable () throws -> Void
    let isIt: @Sendable (StoreUpdate) -> Bool
}

extension TestHarness {
    /// Calls a closure of the subject that changes something in the store.
    func act(_ what: String, _ body: @escaping @Sendable () throws -> Void) throws {
        do { try body() } catch { throw Stop(reason: "the subject's closure for \(what) threw: \(error)") }
    }

    /// The notices that the subject can cause.
    fileprivate func notices() throws -> [Notice] {
        var notices: [Notice] = []
        if let promote = store.promote {
            let product = subject.products.consumable
            notices.append(
                Notice(name: "a promoted purchase", act: { try promote(product) }) { update in
                    if case .promoted(let payment, _) = update { payment.productIdentifier == product } else { false }
                }
            )
        }
        if let revoke = store.revoke, let product = subject.products.restorable {
            let sold = try sell([buy(product)])
            try finish(sold)
            notices.append(
                Notice(name: "a revocation", act: { try revoke(sold[0].identifier) }) { update in
                    if case .revoked(let products) = update { products.contains(product) } else { false }
                }
            )
        }
        return notices
    }

    /// Checks that a new receiver gets the pending notices, and none that is over.
    fileprivate func expect(_ notices: [Notice], over: [Notice], _ when: String) throws {
        try quiet()
        let line = try connect(in: .unique())
        _ = wait { trace in notices.allSatisfy { line.news(in: trace).contains(where: $0.isIt) } }
        try quiet()
        let news = look { line.news(in: $0) }
        try disconnect(line)
        for notice in notices {
            let why = "\(notice.name), which nobody acknowledged, is not told to a new receiver\(when)"
            results.hold(.noticesShown, news.contains(where: notice.isIt), why)
        }
        for notice in over {
            let why = "\(notice.name) is told again\(when)"
            results.hold(.noticesEnd, !news.contains(where: notice.isIt), why)
        }
    }
}

extension StoreUpdate {
    fileprivate var isStorefront: Bool { if case .storefront = self { true } else { false } }
}
