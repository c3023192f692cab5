import Foundation
import StoreCore

/// A part of the suite that runs on a new store.
struct Scenario: Sendable {
    /// The promises that the scenario tests, besides those that are always checked.
    let promises: [ContractPromise]
    let body: @Sendable (TestHarness) throws -> Void

    static var all: [Scenario] {
        [
            .buying, .offering, .waiting, .refusing, .repeating, .remembering, .lookingAtOnce, .finishing, .restoring,
            .refundingRestorable, .resuming, .connecting, .releasing, .callingFromWithin, .crowding, .notifying,
            .moving,
            .requesting, .serving, .promoting, .readingHistory, .refunding, .subscribing,
        ]
    }

    /// Runs the scenario, then checks everything that the store has sent.
    func run(_ subject: ContractSubject, _ results: ResultCollector) {
        var reason = "there was no occasion"
        do {
            let harness = try TestHarness(subject, results)
            do {
                try body(harness)
                try harness.quiet()
            } catch let stop as Stop {
                reason = stop.reason
            }
            harness.judge()
            harness.close()
        } catch {
            reason = (error as? Stop)?.reason ?? "\(error)"
        }
        results.skip(promises, because: reason)
    }
}

extension Scenario {
    /// The scenario of finishing transactions.
    static let finishing = Scenario(promises: [.finishedGone, .finishTold, .finishAcknowledged]) { harness in
        let products = harness.subject.products
        let other = try harness.connect(in: .unique())
        var sold = try harness.sell((0..<4).map { _ in harness.buy(products.consumable) })
        let order = harness.buy(products.unknown)
        try harness.submit([order], .refusalsAreUpdates)
        try harness.expectDecided([order])
        guard let failed = harness.look({ $0.transaction(of: order.id) }) else { return }

        // Finishes the failed transaction, and a purchase from the middle of the list.
        let middle = sold.remove(at: 1)
        try harness.finish([failed, middle])
        try harness.expectTold([failed, middle], other)
        try harness.expectSnapshot()

        let finishes = [middle.identifier, "storecontract-no-such-transaction", ""].map {
            harness.command(.finish(transaction: $0))
        }
        try harness.submit(finishes, .finishAcknowledged)
        try harness.expectSnapshot(" after finishing what is unknown")

        // A queue may finish transactions of another queue.
        if !harness.results.isBroken(.journalsApart) {
            let foreign = sold.removeFirst()
            try harness.finish([foreign], in: other.journal)
            if let main = harness.main { try harness.expectTold([foreign], main) }
            try harness.expectSnapshot(" after another queue finished one")
        }

        if harness.store.reopen != nil {
            try harness.reopen()
            try harness.expectSnapshot(" after the store was opened again")
        }
        try harness.finish(sold)
        try harness.expectSnapshot(" after all were finished")
    }
}

extension TestHarness {
    /// Checks that a connection receives the finish of transactions.
    fileprivate func expectTold(_ transactions: [StoreTransaction], _ line: Line) throws {
        for transaction in transactions {
            let isTold = wait { trace in
                line.news(in: trace).contains {
                    if case .finished(transaction.identifier, _) = $0 { true } else { false }
                }
            }
            let why = "a queue under another journal did not hear that \(name(transaction)) was finished"
            results.hold(.finishTold, isTold, why)
            let orders = look { line.news(in: $0) }.compactMap { update -> OrderID?? in
                if case .finished(transaction.identifier, let order) = update { order } else { nil }
            }
            results.hold(
                .finishTold,
                orders.allSatisfy { $0 == transaction.order },
                "\(name(transaction)) was told as finished without the order that led to it"
            )
        }
    }
}

extension Scenario {
    /// The scenario of a payment that may be too long for a store, submitted among others.
    static let refusing = Scenario(promises: [.refusalsHoldNothingUp]) { harness in
        let product = harness.subject.products.consumable
        let data = Data(count: Self.length)
        let long = StorePayment(productIdentifier: product, requestData: data)
        let orders = [harness.buy(product), harness.command(.purchase(long)), harness.buy(product)]
        let isRefused = try harness.submit(orders, orRefusing: orders[1].id)
        let taken = isRefused ? [orders[0], orders[2]] : orders
        for order in taken {
            let isDecided = harness.wait { $0.result(of: order.id) != nil }
            let why = "an order that was submitted with a long payment, or that payment, was taken and did not end"
            harness.results.hold(.refusalsHoldNothingUp, isDecided, why)
        }
        // Finishes the orders, so that no later scenario receives the long payment.
        try harness.finish(taken.compactMap { order in harness.look { $0.result(of: order.id) } })
    }

    /// The size of the payment's request data, in bytes: more than most servers accept in a request.
    private static var length: Int { 2 << 20 }
}

extension TestHarness {
    /// Submits commands until all are taken, or all except one; returns whether that one was refused.
    fileprivate func submit(_ commands: [StoreCommand], orRefusing refusable: OrderID) throws -> Bool {
        trace.change { $0.add(commands.filter { $0.id != refusable }) }
        for _ in 1...4 {
            let reply: SubmissionReply = try ask(.submissionsAnswered, "a submission with a long payment") {
                $0.submit(commands, reply: $1)
            }
            switch reply {
            case .taken:
                trace.change { $0.add(commands.filter { $0.id == refusable }) }
                results.hold(.refusalsHoldNothingUp, true, "")
                return false
            case .refused(let refused):
                let isRight = refused.map(\.id) == [refusable]
                results.hold(.refusalsHoldNothingUp, isRight, "what could be taken was refused with a long payment")
                guard isRight else { throw Stop(reason: "what could be taken was refused") }
                return true
            case .tryLater: try quiet()
            }
        }
        results.hold(
            .refusalsHoldNothingUp,
            false,
            "a submission with a long payment was to be tried later, four times"
        )
        throw Stop(reason: "a submission was not taken")
    }
}
