import Foundation
import StoreCore

extension Scenario {
    /// The scenario of receivers that connect and disconnect.
    static let connecting = Scenario(promises: [
        .beginsAgain, .disconnectStops, .disconnectsAlone, .oneAtATime, .acknowledgingForgetsNothing,
    ]) { harness in
        let product = harness.subject.products.consumable
        _ = try harness.sell([harness.buy(product)])
        try harness.quiet()
        let line = try harness.connect(in: .unique())
        try harness.expectNews(line, .nothingForgotten, "a receiver that connected later")

        // Connects again, first without a cursor, then from the current cursor.
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
        if let main = harness.main {
            try harness.expectNews(
                main,
                .disconnectsAlone,
                "a receiver, beside another one that was disconnected twice,"
            )
        }

        try harness.crossSubmissions()
        try harness.expectSnapshot()
        try harness.acknowledgeAll()
    }
}

extension Scenario {
    /// The scenario of receivers and listeners that are no longer used.
    static let releasing = Scenario(promises: [.receiversReleased]) { harness in
        let id = try harness.connectAndLeave()
        try harness.quiet()
        let isReleased = harness.wait { $0.released.contains(id) }
        harness.results.hold(.receiversReleased, isReleased, "a receiver that was disconnected is kept")
        let hasHistory = try harness.call(.historyAnswered, "a question for services") { $0.services.history != nil }
        if hasHistory { try harness.expectListenerReleased() }
    }

    /// The scenario of receivers that call the store while they are called.
    static let callingFromWithin = Scenario(promises: [.callsFromWithin]) { harness in
        let product = harness.subject.products.consumable
        let line = try harness.connect(in: .unique())
        guard let cursor = harness.look({ line.cursor(in: $0) }) else { return }
        let orders = [harness.buy(product), harness.buy(product, in: .unique())]
        harness.trace.change { $0.add([orders[1]]) }
        let submits = harness.backend.lane == .caller && !harness.results.isBroken(.journalsApart)
        let request = harness.nextRequestNumber()
        line.receiver.callFromWithin { [backend = harness.backend, trace = harness.trace, receiver = line.receiver] in
            backend.acknowledge(through: cursor)
            if submits { backend.submit([orders[1]]) { _ in } }
            backend.disconnect(receiver)
            trace.change { _ = $0.done.insert(request) }
        }
        harness.trace.change { $0.add([orders[0]]) }
        var isBack = false
        for _ in 1...4 {
            let order: TestHarness.Answer<SubmissionReply> = harness.begin { $0.submit([orders[0]], reply: $1) }
            isBack = harness.wait { $0.done.contains(order.request) }
            guard isBack, order.result.read({ $0 }) != .taken else { break }
            try harness.quiet()
        }
        isBack = isBack && harness.wait { $0.done.contains(request) }
        let why = "calls that a receiver made while it took in a batch did not return"
        harness.results.hold(.callsFromWithin, isBack, why)
        guard isBack else { throw Stop(reason: "a receiver cannot call while it is called") }
        harness.leave(line)
        try harness.quiet()
        // Submits both orders again, which ensures that they are taken, whatever the replies were.
        try harness.submit([orders[0]], .repetitionsTaken)
        if submits { try harness.submit([orders[1]], .repetitionsTaken) }
        try harness.expectDecided(submits ? orders : [orders[0]], when: ", submitted while a batch was received,")
    }
}

extension TestHarness {
    /// Connects a receiver, disconnects it, and retains no reference to it.
    fileprivate func connectAndLeave() throws -> ObjectIdentifier {
        let line = try connect(in: .unique())
        _ = try sell([buy(subject.products.consumable)])
        try quiet()
        let id = ObjectIdentifier(line.receiver)
        try disconnect(line)
        return id
    }

    /// Checks that a connection receives a new sale.
    fileprivate func expectNews(_ line: Line, _ promise: ContractPromise, _ who: String) throws {
        let order = buy(subject.products.consumable)
        // `sell` waits for the order on the main connection, which is the one to check here.
        if line === main { try submit([order]) } else { _ = try sell([order]) }
        let isTold = wait { trace in
            line.news(in: trace).contains { $0.transaction?.order == order.id }
        }
        results.hold(promise, isTold, "\(who) did not hear of what was sold then")
        if line === main, !isTold { throw Stop(reason: "\"\(promise)\" is broken") }
    }

    /// Submits from two threads: the second submission begins while a receiver handles the update of the first.
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
        let areTaken = wait { $0.done.isSuperset(of: [first.request, second.request]) }
        results.hold(.submissionsAnswered, areTaken, "one of two submissions that crossed was not answered")
        guard areTaken else { throw Stop(reason: "a submission was not answered") }
        guard first.result.read({ $0 }) == .taken, second.result.read({ $0 }) == .taken else {
            return try submit(orders)
        }
        try expectDecided(orders, when: ", submitted by one of two threads,")
        if isInside { results.hold(.oneAtATime, true, "") }
    }

    /// Acknowledges all updates, and checks that the snapshot for new receivers does not change.
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
