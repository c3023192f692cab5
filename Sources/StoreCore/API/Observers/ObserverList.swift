import Foundation
import Synchronization

/// A list of observers, held weakly except for the queue's `QueueFace`.
///
/// The queue retains its face in any case, and a weak reference would slow down every access.
///
/// An observer may be deallocated on another thread at any moment, and its deinitializer may call back into the list.
/// Therefore no reference to one is released with the lock held.
final class ObserverList: Sendable {
    private let list = Locked<[Entry]>([])
    private let changes = Atomic<Int>(0)

    /// An observer in a box, because copying a weak reference costs more than loading it.
    private final class Entry {
        private weak let other: (any SKPaymentTransactionObserver)?
        private let face: (any QueueFace)?
        var observer: (any SKPaymentTransactionObserver)? { face ?? other }

        init(_ observer: any SKPaymentTransactionObserver) {
            face = observer as? any QueueFace
            other = face == nil ? observer : nil
        }
    }

    /// A counter that changes whenever observers are added or removed.
    var version: Int { changes.load(ordering: .acquiring) }

    func add(_ observer: any SKPaymentTransactionObserver) {
        change { list in
            list.removeAll { $0.observer === observer }
            list.append(Entry(observer))
        }
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        change { list in list.removeAll { $0.observer === observer } }
    }

    private func change(_ body: (inout [Entry]) -> Void) {
        let kept = list.withLock { list in
            let kept = list.map(\.observer)
            list = zip(list, kept).filter { $1 != nil }.map(\.0)
            body(&list)
            return kept
        }
        withExtendedLifetime(kept) {}
        changes.add(1, ordering: .releasing)
    }

    /// Returns the live observers, which the result keeps alive; nil if there are none.
    func load() -> LiveObservers? {
        let version = version
        return list.withLock { list in
            if list.count == 1 { return list[0].observer.map { LiveObservers(version: version, first: $0) } }
            let live = list.compactMap(\.observer)
            return live.first.map { LiveObservers(version: version, first: $0, others: Array(live.dropFirst())) }
        }
    }

    /// Empties the list if every observer was deallocated without having been removed.
    ///
    /// Returns whether it did.
    func removeAllIfDeallocated() -> Bool {
        let (isEmptied, live) = list.withLock { list -> (Bool, (any SKPaymentTransactionObserver)?) in
            for entry in list {
                if let observer = entry.observer { return (false, observer) }
            }
            defer { list = [] }
            return (!list.isEmpty, nil)
        }
        withExtendedLifetime(live) {}
        return isEmptied
    }
}

/// Strong references to the observers, for the duration of their callbacks.
///
/// There is rarely more than one.
struct LiveObservers {
    /// The version of the list when they were loaded.
    let version: Int
    let first: any SKPaymentTransactionObserver
    var others: [any SKPaymentTransactionObserver] = []

    var all: [any SKPaymentTransactionObserver] { [first] + others }

    func contains(_ observer: any SKPaymentTransactionObserver) -> Bool {
        first === observer || others.contains { $0 === observer }
    }
}
