import Foundation
import StoreContract
import StoreCore
import Testing

/// What a store's household was made of, kept by nobody else once it is let go.
struct Traces: Sendable {
    private struct Place: @unchecked Sendable {  // unchecked: the object is only looked at
        let name: String
        weak let object: AnyObject?
    }

    private let places: [Place]
    private let file: URL?

    init(_ objects: KeyValuePairs<String, AnyObject>, file: URL?) {
        places = objects.map { Place(name: $0, object: $1) }
        self.file = file
    }

    /// What there still is, by name.
    var left: [String] {
        let isFileThere = file.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
        return places.filter { $0.object != nil }.map(\.name) + (isFileThere ? ["the downloaded file"] : [])
    }
}

private final class Burden: Sendable {}

extension Household {
    /// Brings it into the middle of everything there is to be in the middle of, and says what it is made of.
    func leaveUnfinished() throws -> Traces {
        let (authorizerBurden, timerBurden, ruleBurden) = (Burden(), Burden(), Burden())
        let queue = context.run { SKPaymentQueue.default() }
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        let tabletQueue = SKPaymentQueue(backend: tablet, delivery: .inline, log: .silent)

        // A subscription that the clock will renew, and a timer of the test's own.
        queue.add(SKPayment(productIdentifier: "pass"))
        clock.schedule(at: clock.now + 3600) { withExtendedLifetime(timerBurden) {} }
        // A file that the app has not taken away.
        app.finishesDownloads = false
        queue.add(SKPayment(productIdentifier: "map"))
        queue.start(queue.transactions.flatMap(\.downloads))
        let file = try #require(queue.transactions.flatMap(\.downloads).first?.contentURL)
        // A purchase that waits for a decision.
        store.authorizer = Authorizer { _ in withExtendedLifetime(authorizerBurden) { .later } }
        queue.add(SKPayment(productIdentifier: "castle"))
        // News that is held, and news behind it.
        let isHeavy = FaultInjector.Condition.matching { _ in withExtendedLifetime(ruleBurden) { true } }
        injector.add(.hold, at: .update, when: isHeavy, times: 1)
        try store.account.buy("sword")
        try store.account.buy("sword")
        // An order that is lost and one whose answer is late, which both keep the queue, until they are cut off.
        if number.isMultiple(of: 2) {
            injector.add(.delay(30), at: .reply, times: 1)
            queue.add(SKPayment(productIdentifier: "game"))
            injector.add(.drop, at: .submission, times: 1)
            queue.add(SKPayment(productIdentifier: "game"))
            injector.cut()
        }
        let objects: KeyValuePairs<String, AnyObject> = [
            "store": store, "device": tablet, "clock": clock, "ledger": ledger, "journal": journal,
            "injector": injector, "context": context, "queue": queue, "the tablet's queue": tabletQueue, "app": app,
            "what the authorizer holds": authorizerBurden, "what a timer holds": timerBurden,
            "what a rule holds": ruleBurden,
        ]
        return Traces(objects, file: file)
    }
}
