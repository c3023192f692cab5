import Foundation
import StoreCore

extension Scenario {
    /// The scenario of receivers that connect and disconnect.
    static let connecting = Scenario(promises: [
        .beginsAgain, .disconnectStops, .oneAtATime, .acknowledgingForgetsNothing,
    ]) { stage in
        let product = stage.subject.products.consumable
        _ = try stage.sell([stage.buy(product)])
        try stage.quiet()
        let line = try stage.connect(in: .unique())
        try stage.expectNews(line, .nothingForgotten, "a receiver that connected later")

        // Once more without a cursor, then from the current cursor.
        try stage.quiet()
        try stage.connect(line, after: nil, .beginsAgain)
        try stage.expectNews(line, .beginsAgain, "a receiver that was connected twice")
        try stage.quiet()
        try stage.connect(line, after: stage.look { line.cursor(in: $0) })
        try stage.expectNews(line, .beginsAgain, "a receiver that was connected again, where it was,")
        try stage.quiet()

        try stage.disconnect(line)
        try stage.quiet()
        let count = stage.look { trace in line.connections.map { trace.connections[$0].batches.count } }
        _ = try stage.sell([stage.buy(product)])
        try stage.quiet()
        stage.book.hold(
            .disconnectStops,
            stage.look { trace in line.connections.map { trace.connections[$0].batches.count } } == count,
            "a receiver that was disconnected got another batch"
        )
        try stage.disconnect(line)

        try stage.crossSubmissions()
        try stage.expectSnapshot()
        try stage.acknowledgeAll()
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
        book.hold(promise, isTold, "\(who) did not hear of what was sold then")
    }

    /// Submits from two threads at once, the second while the first one's update is being received.
    fileprivate func crossSubmissions() throws {
        guard let main, !book.isBroken(.journalsApart) else { return }
        let orders = [buy(subject.products.consumable), buy(subject.products.consumable, in: .unique())]
        trace.change { $0.add(orders) }
        let count = look { $0.count }
        main.receiver.dwell(subject.pause)
        let first: Answer<SubmissionReply> = begin { $0.submit([orders[0]], reply: $1) }
        let isInside = wait { $0.count > count }
        let other = DispatchQueue(label: "StoreContract.lane.other")
        let second: Answer<SubmissionReply> = begin(on: other) { $0.submit([orders[1]], reply: $1) }
        let areTaken = wait { $0.done.isSuperset(of: [first.errand, second.errand]) }
        book.hold(.submissionsAnswered, areTaken, "one of two submissions that crossed was not answered")
        guard areTaken else { throw Stop(reason: "a submission was not answered") }
        guard first.result.read({ $0 }) == .taken, second.result.read({ $0 }) == .taken else {
            return try submit(orders)
        }
        try expectDecided(orders, when: ", submitted by one of two threads,")
        if isInside { book.hold(.oneAtATime, true, "") }
    }

    /// Acknowledges everything and checks that it is still there.
    fileprivate func acknowledgeAll() throws {
        let before = try shownAnew()
        guard let main, let cursor = look({ main.cursor(in: $0) }) else { return }
        try call(.acknowledgingForgetsNothing, "an acknowledgement") { $0.acknowledge(through: cursor) }
        try quiet()
        let after = try shownAnew()
        book.hold(
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
