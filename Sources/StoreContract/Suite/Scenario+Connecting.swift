import Foundation
import StoreCore

extension Scenario {
    /// The scenario of receivers that connect and disconnect.
    static let connecting = Scenario(promises: [
        .beginsAgain, .disconnectStops, .oneAtATime, .acknowledgingForgetsNothing,
    ]) { harness in
        let product = harness.subject.products.consumable
        _ = try harness.sell([harness.buy(product)])
        try harness.quiet()
        let line = try harness.connect(in: .unique())
        try harness.expectNews(line, .nothingForgotten, "a receiver that connected later")

        // Once more without a cursor, then from the current cursor.
        try harness.quiet()
        try harness.connect(line, after: nil, .beginsAgain)
        try harness.expectNews(line, .beginsAgain, "a receiver that was connected twice")
        try harness.quiet()
        try harness.connect(line, after: harness.look { line.cursor(in: $0) })
        try harness.expectNews(line, .beginsAgain, "a receiver that was connected again, where it was,")
        try harness.quiet()

        try harness.disconnect(line)
        try harness.quiet()
        let count = harness.look { trace in line.connections.map { trace.connections[$0].batches.count } }
        _ = try harness.sell([harness.buy(product)])
        try harness.quiet()
        harness.results.hold(
            .disconnectStops,
            harness.look { trace in line.connections.map { trace.connections[$0].batches.count } } == count,
            "a receiver that was disconnected got another batch"
        )
        try harness.disconnect(line)

        try harness.crossSubmissions()
        try harness.expectSnapshot()
        try harness.acknowledgeAll()
    }
}

extension TestHarness {
    /// Checks that a connection hears of a new sale.
    fileprivate func expectNews(_ line: Line, _ promise: ContractPromise, _ who: String) throws {
        let order = buy(subject.products.consumable)
        _ = try sell([order])
        let isTold = wait { trace in
            line.news(in: trace).contains { $0.transaction?.order == order.id }
        }
        results.hold(promise, isTold, "\(who) did not hear of what was sold then")
    }

    /// Submits from two threads at once, the second while the first one's update is being received.
    fileprivate func crossSubmissions() throws {
        guard let main, !results.isBroken(.journalsApart) else { return }
        let orders = [buy(subject.products.consumable), buy(subject.products.consumable, in: .unique())]
        trace.change { $0.add(orders) }
        let count = look { $0.count }
        main.receiver.dwell(subject.pause)
        let first: Answer<SubmissionReply> = begin { $0.submit([orders[0]], reply: $1) }
        let isInside = wait { $0.count > count }
        let other = DispatchQueue(label: "StoreContract.lane.other")
        let second: Answer<SubmissionReply> = begin(on: other) { $0.submit([orders[1]], reply: $1) }
        let areTaken = wait { $0.done.isSuperset(of: [first.errand, second.errand]) }
        results.hold(.submissionsAnswered, areTaken, "one of two submissions that crossed was not answered")
        guard areTaken else { throw Stop(reason: "a submission was not answered") }
        guard first.result.read({ $0 }) == .taken, second.result.read({ $0 }) == .taken else {
            return try submit(orders)
        }
        try expectDecided(orders, when: ", submitted by one of two threads,")
        if isInside { results.hold(.oneAtATime, true, "") }
    }

    /// Acknowledges everything and checks that it is still there.
    fileprivate func acknowledgeAll() throws {
        let before = try shownAnew()
        guard let main, let cursor = look({ main.cursor(in: $0) }) else { return }
        try call(.acknowledgingForgetsNothing, "an acknowledgement") { $0.acknowledge(through: cursor) }
        try quiet()
        let after = try shownAnew()
        results.hold(
            .acknowledgingForgetsNothing,
            after == before,
            "\(before.count) unfinished transactions were shown before an acknowledgement, and \(after.count) after it"
        )
    }

    private func shownAnew() throws -> [String] {
        let line = try connect(in: .unique())
        try disconnect(line)
        return (look { line.snapshot(in: $0) } ?? []).map(\.identifier)
    }
}
