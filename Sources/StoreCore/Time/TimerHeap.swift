import Foundation

/// A priority queue of timers: the earliest deadline first, and equal deadlines in the order of insertion.
///
/// A binary heap: adding, removing or canceling a timer takes logarithmic time in the number of timers.
struct TimerHeap {
    struct Timer {
        let deadline: Date
        let body: @Sendable () -> Void
        /// The number of timers added before.
        fileprivate let number: Int
        fileprivate let place: Place
    }

    /// The place of a timer, which keeps nothing of it alive.
    // unchecked: read and written by the heap alone, which its owner guards.
    final class Place: @unchecked Sendable {
        /// The timer's index; nil once it has been removed.
        fileprivate var index: Int?
    }

    private var timers: [Timer] = []
    private var count = 0

    /// The timer with the earliest deadline, nil if there is none.
    var first: Timer? { timers.first }

    /// Adds a timer behind all with the same deadline.
    mutating func insert(at deadline: Date, _ body: @escaping @Sendable () -> Void) -> Place {
        let place = Place()
        place.index = timers.count
        timers.append(Timer(deadline: deadline, body: body, number: count, place: place))
        count += 1
        rise(from: timers.count - 1)
        return place
    }

    /// Removes and returns the timer with the earliest deadline.
    mutating func popFirst() -> Timer? { timers.isEmpty ? nil : remove(at: 0) }

    /// Removes and returns a timer; nil if it was removed before.
    mutating func remove(_ place: Place) -> Timer? { place.index.map { remove(at: $0) } }

    /// Removes and returns all timers, in no particular order.
    mutating func removeAll() -> [Timer] {
        defer { timers = [] }
        for timer in timers { timer.place.index = nil }
        return timers
    }

    private mutating func remove(at index: Int) -> Timer {
        swap(index, timers.count - 1)
        let timer = timers.removeLast()
        timer.place.index = nil
        // The last timer, now here, may belong higher or deeper.
        if index < timers.count { sink(from: rise(from: index)) }
        return timer
    }

    /// Moves a timer up to its place; returns its index.
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
