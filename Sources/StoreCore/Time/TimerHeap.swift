import Foundation

/// What waits for moments to come: the earliest first, and of one moment what came first.
///
/// A binary heap: to add, take or call off a timer costs the logarithm of how many wait.
struct TimerHeap {
    struct Timer {
        let deadline: Date
        let body: @Sendable () -> Void
        /// How many came before.
        fileprivate let number: Int
        fileprivate let place: Place
    }

    /// Where a timer lies; it keeps nothing of it alive.
    // unchecked: read and written by the heap alone, which its owner guards.
    final class Place: @unchecked Sendable {
        /// Nil once the timer has been taken out.
        fileprivate var index: Int?
    }

    private var timers: [Timer] = []
    private var count = 0

    /// What is due first, nil when nothing waits.
    var first: Timer? { timers.first }

    /// Adds a timer behind all of the same moment.
    mutating func insert(at deadline: Date, _ body: @escaping @Sendable () -> Void) -> Place {
        let place = Place()
        place.index = timers.count
        timers.append(Timer(deadline: deadline, body: body, number: count, place: place))
        count += 1
        rise(from: timers.count - 1)
        return place
    }

    /// Takes out what is due first.
    mutating func popFirst() -> Timer? { timers.isEmpty ? nil : remove(at: 0) }

    /// Takes out a timer; nil if it has been before.
    mutating func remove(_ place: Place) -> Timer? { place.index.map { remove(at: $0) } }

    /// Takes out everything, in no particular order.
    mutating func removeAll() -> [Timer] {
        defer { timers = [] }
        for timer in timers { timer.place.index = nil }
        return timers
    }

    private mutating func remove(at index: Int) -> Timer {
        swap(index, timers.count - 1)
        let timer = timers.removeLast()
        timer.place.index = nil
        // The last one, now here, may belong higher or deeper.
        if index < timers.count { sink(from: rise(from: index)) }
        return timer
    }

    /// Returns where the timer has come to.
    @discardableResult
    private mutating func rise(from start: Int) -> Int {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { break }
            swap(child, parent)
            child = parent
        }
        return child
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var child = 2 * parent + 1
            guard child < timers.count else { return }
            if child + 1 < timers.count, isBefore(child + 1, child) { child += 1 }
            guard isBefore(child, parent) else { return }
            swap(child, parent)
            parent = child
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (timers[left].deadline, timers[right].deadline)
        return first == second ? timers[left].number < timers[right].number : first < second
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].place.index = left
        timers[right].place.index = right
    }
}
