import Foundation
import StoreContract
import StoreCore
import Testing

/// Delays, repetitions and changes of place: what waits for what.
@Suite struct OrderTests {
    private let wire = Wire()
    private var clock: ManualClock { wire.clock }
    private var injector: FaultInjector { wire.injector }

    @Test func `Updates wait behind a delayed one, those of another connection do not`() {
        let other = Receiver()
        injector.connect(other, after: nil)
        wire.connect()
        injector.add(.delay(5), at: .update, when: .call(1))
        wire.send(1, 2)
        wire.store.receivers[0].receive(UpdateBatch(after: nil, through: UpdateCursor(position: 1), updates: []))
        #expect(wire.receiver.positions.isEmpty)
        #expect(other.positions == [1])
        clock.advance(by: 4.5)
        #expect(wire.receiver.positions.isEmpty)
        clock.advance(by: 0.5)
        #expect(wire.receiver.positions == [1, 2])
    }

    @Test func `An update that is delayed less than the one before it waits for that one`() {
        wire.connect()
        injector.add(.delay(5), at: .update, when: .call(1))
        injector.add(.delay(1), at: .update, when: .call(2))
        wire.send(1, 2)
        clock.advance(by: 2)
        #expect(wire.receiver.positions.isEmpty)
        clock.advance(by: 3)
        #expect(wire.receiver.positions == [1, 2])
    }

    @Test func `Calls do not wait for a delayed one`() {
        injector.add(.delay(5), at: .submission, when: .call(1))
        wire.submit(1, 2)
        #expect(wire.store.arrived == ["submit 2"])
        clock.advance(by: 5)
        #expect(wire.store.arrived == ["submit 2", "submit 1"] && wire.replies == ["taken", "taken"])
    }

    @Test(arguments: [FaultInjector.Point.submission, .reply])
    func `What is delayed beyond the timeout fails at the timeout, and arrives for nobody`(point: FaultInjector.Point) {
        injector.add(.delay(90), at: point)
        wire.submit(1)
        clock.advance(by: 60)
        #expect(wire.replies == ["try later \(URLError.timedOut.rawValue)"])
        clock.advance(by: 30)
        #expect(wire.replies.count == 1 && wire.store.arrived == ["submit 1"])
    }

    @Test func `What is duplicated arrives twice at once`() {
        for point in [FaultInjector.Point.submission, .connection, .update, .acknowledgement] {
            injector.add(.duplicate, at: point)
        }
        wire.connect()
        wire.submit(1)
        wire.send(1, 2)
        injector.acknowledge(through: UpdateCursor(position: 1))
        #expect(wire.store.arrived == ["connect", "connect", "submit 1", "submit 1", "acknowledge 1", "acknowledge 1"])
        #expect(wire.replies == ["taken", "taken"] && wire.receiver.positions == [1, 1, 2, 2])
    }

    @Test func `An echo comes once more, past what waits by then`() {
        wire.connect()
        injector.add(.echo(after: 5), at: .update, when: .call(1))
        injector.add(.hold, at: .update, when: .call(2))
        injector.add(.echo(after: 90), at: .submission)
        wire.send(1, 2)
        wire.submit(1)
        #expect(wire.receiver.positions == [1])
        clock.advance(by: 5)
        #expect(wire.receiver.positions == [1, 1])
        clock.advance(by: 85)
        #expect(wire.store.arrived == ["connect", "submit 1", "submit 1"])
    }

    @Test func `Reordered updates change places in pairs`() {
        wire.connect()
        injector.add(.reorder, at: .update)
        wire.send(1, 2, 3, 4)
        #expect(wire.receiver.positions == [2, 1, 4, 3] && clock.nextDeadline == nil)
        wire.send(5)
        clock.advance(by: 60)
        #expect(wire.receiver.positions == [2, 1, 4, 3, 5])
    }

    @Test func `An update changes places with one that is delayed when that one's time comes`() {
        wire.connect()
        injector.add(.reorder, at: .update, when: .call(1))
        injector.add(.delay(5), at: .update, when: .call(2))
        wire.send(1, 2, 3)
        #expect(wire.receiver.positions.isEmpty)
        clock.advance(by: 5)
        #expect(wire.receiver.positions == [2, 1, 3])
    }

    @Test func `A reordered call goes behind the next, or by itself at the timeout`() {
        injector.add(.reorder, at: .submission, when: .call(1))
        injector.add(.reorder, at: .submission, when: .call(3))
        wire.submit(1, 2)
        #expect(wire.store.arrived == ["submit 2", "submit 1"] && clock.nextDeadline == nil)
        wire.submit(3)
        clock.advance(by: 59)
        #expect(wire.store.arrived.count == 2)
        clock.advance(by: 1)
        #expect(wire.store.arrived == ["submit 2", "submit 1", "submit 3"])
    }

    @Test func `What a disconnected receiver still had to hear is lost`() {
        wire.connect()
        injector.add(.delay(5), at: .update, when: .call(1))
        injector.add(.hold, at: .update, when: .call(2))
        wire.send(1, 2)
        injector.disconnect(wire.receiver)
        #expect(injector.held.isEmpty && clock.nextDeadline == nil)
        clock.advance(by: 5)
        #expect(wire.receiver.positions.isEmpty)
    }

    @Test func `A connection that is delayed is not made once nobody wants it`() {
        injector.add(.delay(5), at: .connection)
        wire.connect()
        injector.disconnect(wire.receiver)
        clock.advance(by: 5)
        #expect(!wire.store.arrived.contains("connect"))
    }

    @Test func `A receiver that connects again begins again`() {
        wire.connect()
        injector.add(.delay(5), at: .update, times: 1)
        wire.send(1)
        wire.connect()
        wire.send(1)
        clock.advance(by: 5)
        #expect(wire.receiver.positions == [1] && wire.store.arrived == ["connect", "connect"])
    }
}
