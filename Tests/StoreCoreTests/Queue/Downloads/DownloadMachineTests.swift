import Foundation
import Testing

@testable import StoreCore

/// The machine behind downloads, one event at a time.
@Suite struct DownloadMachineTests {
    private typealias Action = DownloadMachine.Action

    private struct Bench {
        var machine = DownloadMachine()
        let now = Date(timeIntervalSince1970: 0)
        static let content = StoreContent(identifier: "map", length: 10)

        init() { _ = machine.downloads(of: 7) { [Self.request()] } }

        static func request(from offset: Int64 = 0, limit: Int = 1) -> ContentRequest {
            ContentRequest(
                transaction: "7",
                productIdentifier: "map",
                content: Self.content,
                offset: offset,
                limit: limit
            )
        }

        mutating func obey(_ order: DownloadOrder) -> [Action] {
            var actions: [Action] = []
            let refused = machine.obey(order, [1], now: now, &actions)
            #expect(refused.isEmpty)
            return actions
        }

        mutating func answer(_ ticket: Int, _ answer: Result<Data, StoreFailure>) -> [Action] {
            var actions: [Action] = []
            machine.answered(1, ticket: ticket, answer, now: now, &actions)
            return actions
        }

        mutating func written(_ ticket: Int, _ bytes: Int, _ failure: StoreFailure? = nil) -> [Action] {
            var actions: [Action] = []
            machine.written(1, ticket: ticket, bytes: bytes, failure: failure, now: now, &actions)
            return actions
        }

        /// The ticket of the piece that the last of these actions asks for.
        func ticket(_ actions: [Action]) -> Int {
            guard case .fetch(1, let ticket, _)? = actions.last else { return -1 }
            return ticket
        }
    }

    private static let data = Data("abcd".utf8)

    @Test func `B111: A start is told before the first bytes are asked for`() {
        var bench = Bench()
        let actions = bench.obey(.start)
        let ticket = bench.ticket(actions)
        #expect(
            actions == [
                .report(1, DownloadReport(state: .active)),
                .fetch(1, ticket: ticket, Bench.request(limit: 10)),
            ]
        )
    }

    @Test func `What arrived is written, then told of, then the next is asked for`() {
        var bench = Bench()
        let ticket = bench.ticket(bench.obey(.start))
        #expect(bench.answer(ticket, .success(Self.data)) == [.write(1, ticket: ticket, Self.data, at: 0)])
        let next = bench.written(ticket, 4)
        #expect(
            next == [
                .report(1, DownloadReport(state: .active, progress: 0.4)),
                .fetch(1, ticket: bench.ticket(next), Bench.request(from: 4, limit: 6)),
            ]
        )
    }

    @Test func `An answer that is repeated changes nothing`() {
        var bench = Bench()
        let ticket = bench.ticket(bench.obey(.start))
        _ = bench.answer(ticket, .success(Self.data))
        #expect(bench.answer(ticket, .success(Self.data)) == [])
        #expect(bench.answer(ticket, .failure(.storeKit(.unknown, ""))) == [])
        _ = bench.written(ticket, 4)
        #expect(bench.answer(ticket, .success(Self.data)) == [])
        #expect(bench.written(ticket, 4) == [])
    }

    @Test func `An answer that is repeated after the end changes nothing`() {
        var bench = Bench()
        let ticket = bench.ticket(bench.obey(.start))
        _ = bench.answer(ticket, .success(Data(count: 10)))
        #expect(
            bench.written(ticket, 10) == [.report(1, DownloadReport(state: .finished, progress: 1, timeRemaining: 0))]
        )
        #expect(bench.answer(ticket, .success(Data(count: 10))) == [])
        #expect(bench.answer(ticket, .failure(.storeKit(.unknown, ""))) == [])
    }

    @Test func `What comes after a pause is not listened to, and is asked for again`() {
        var bench = Bench()
        let first = bench.ticket(bench.obey(.start))
        #expect(bench.obey(.pause) == [.report(1, DownloadReport(state: .paused))])
        #expect(bench.answer(first, .success(Self.data)) == [])
        let resumed = bench.obey(.resume)
        #expect(resumed.last == .fetch(1, ticket: bench.ticket(resumed), Bench.request(limit: 10)))
        #expect(bench.answer(first, .success(Self.data)) == [])
        // What was being written when it was paused does not count either.
        let second = bench.ticket(resumed)
        _ = bench.answer(second, .success(Self.data))
        _ = bench.obey(.pause)
        #expect(bench.written(second, 4) == [])
    }

    @Test(arguments: [0, 11]) func `A store that sends nothing, or too much, fails the download`(count: Int) {
        var bench = Bench()
        let ticket = bench.ticket(bench.obey(.start))
        let actions = bench.answer(ticket, .success(Data(count: count)))
        guard case .report(1, let report)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(report.state == .failed)
        #expect(report.failure?.reason.contains("\(count) bytes of map") == true)
    }

    @Test func `B112: A cancelled download's file is removed after it is told`() {
        var bench = Bench()
        _ = bench.obey(.start)
        #expect(bench.obey(.cancel) == [.report(1, DownloadReport(state: .cancelled)), .remove(1)])
    }

    @Test func `A length that a store got wrong gives an empty file and stops nothing`() {
        var machine = DownloadMachine()
        let content = StoreContent(identifier: "odd", length: -5)
        _ = machine.downloads(of: 1) {
            [ContentRequest(transaction: "1", productIdentifier: "odd", content: content, limit: 1)]
        }
        var actions: [Action] = []
        _ = machine.obey(.start, [1], now: .distantPast, &actions)
        guard case .write(1, let ticket, let data, at: 0)? = actions.last else { return _ = Issue.record("\(actions)") }
        #expect(data.isEmpty)
        machine.written(1, ticket: ticket, bytes: 0, failure: nil, now: .distantPast, &actions)
        #expect(actions.last == .report(1, DownloadReport(state: .finished, progress: 1, timeRemaining: 0)))
    }

    @Test func `B159: Of a transaction that has ended nothing is listened to any more`() {
        var bench = Bench()
        let ticket = bench.ticket(bench.obey(.start))
        var actions: [Action] = []
        let ended = bench.machine.end(7, &actions)
        #expect(ended.map(\.download) == [1])
        #expect(ended.map(\.report) == [DownloadReport(state: .cancelled)])
        #expect(actions == [.remove(1)])
        #expect(bench.answer(ticket, .success(Self.data)) == [])
        #expect(bench.machine.obey(.start, [1], now: bench.now, &actions).map(\.refusal) == [.over])
        #expect(!bench.machine.contains(1))
    }

    @Test func `A machine that has retired makes no downloads and keeps none`() {
        var bench = Bench()
        _ = bench.obey(.start)
        var actions: [Action] = []
        bench.machine.retire(&actions)
        bench.machine.retire(&actions)
        #expect(actions == [.removeAll])
        #expect(bench.machine.waiting.isEmpty)
        #expect(bench.machine.downloads(of: 8) { [Bench.request()] } == [])
    }
}
