import Foundation

/// Renewing by hand: the subscriber who is due first comes off a heap, the calendar says when the next month ends, a
/// record of it is appended, and the subscriber goes back onto the heap.
final class HandRenewals {
    private final class Record {
        let subscriber: Int
        let date: Date
        let end: Date

        init(subscriber: Int, date: Date, end: Date) {
            self.subscriber = subscriber
            self.date = date
            self.end = end
        }
    }

    private struct Due {
        let moment: Date
        let subscriber: Int
    }

    private let starts: [Date]
    private var months: [Int]
    private var heap: [Due] = []
    private var records: [Record] = []
    private let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Creates subscribers who began at these dates.
    init(starts: [Date]) {
        self.starts = starts
        months = Array(repeating: 0, count: starts.count)
        for subscriber in starts.indices { schedule(subscriber) }
        records = []
    }

    /// Renews all subscriptions due by a date, and returns the number of renewals.
    func renew(by moment: Date) -> Int {
        let before = records.count
        while let due = heap.first, due.moment <= moment {
            removeFirst()
            schedule(due.subscriber)
        }
        return records.count - before
    }

    private func schedule(_ subscriber: Int) {
        months[subscriber] += 1
        let start = starts[subscriber]
        let end = calendar.date(byAdding: .month, value: months[subscriber], to: start) ?? .distantFuture
        records.append(Record(subscriber: subscriber, date: start, end: end))
        push(Due(moment: end, subscriber: subscriber))
    }

    private func push(_ due: Due) {
        heap.append(due)
        var child = heap.count - 1
        while child > 0, heap[child].moment < heap[(child - 1) / 2].moment {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child + 1].moment < heap[child].moment { child += 1 }
            guard heap[child].moment < heap[parent].moment else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
