import Foundation
import Synchronization

/// A list of observers, all held weakly except for a `QueueFace`.
///
/// The queue retains a `QueueFace` anyway, and a weak reference would slow down every access.
///
/// An observer may be deallocated on another thread at any time, and its deinitializer may call back into the list.
/// Therefore no reference to an observer is released with the lock held.
final class ObserverList: Sendable {
    private let list = Locked<[Entry]>([])
    private let changes = Atomic<Int>(0)

    /// An observer in an object, because copying a weak reference costs more than reading it through another reference.
    private final class Entry {
        private weak let other: (any SKPaymentTransactionObserver)?
        private let face: (any QueueFace)?
        var observer: (any SKPaymentTransactionObserver)? { face ?? other }

        init(_ observer: any SKPaymentTransactionObserver) {
            face = observer as? any QueueFace
            other = face == nil ? observer : nil
        }
    }

    /// A counter that is incremented when observers are added or removed.
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
        let retained = list.withLock { list in
            let retained = list.map(\.observer)
            list = zip(list, retained).filter { $1 != nil }.map(\.0)
            body(&list)
            return retained
        }
        withExtendedLifetime(retained) {}
        changes.add(1, ordering: .releasing)
    }

    /// Returns strong references to the observers that still exist; nil if there are none.
    func load() -> LiveObservers? {
        let version = version
        return list.withLock { list in
            if list.count == 1 { return list[0].observer.map { LiveObservers(version: version, first: $0) } }
            let live = list.compactMap(\.observer)
            return live.first.map { LiveObservers(version: version, first: $0, others: Array(live.dropFirst())) }
        }
    }

    /// Empties the list if every observer in it was deallocated without having been removed.
    ///
    /// Returns whether the list was emptied.
    func removeAllIfDeallocated() -> Bool {
        let (isEmptied, live) = list.withLock { list -> (Bool, (any SKPaymentTransactionObserver)?) in
            // By index, since iterating retains the array.
            for index in list.indices {
                if let observer = list[index].observer { return (false, observer) }
            }
            defer { list = [] }
            return (!list.isEmpty, nil)
        }
        withExtendedLifetime(live) {}
        return isEmptied
    }
}

/// Strong references to a queue's observers, held while they are called.
///
/// The first is stored apart, since there is rarely more than one.
struct LiveObservers {
    /// The version of the list when these references were loaded.
    let version: Int
    let first: any SKPaymentTransactionObserver
    var others: [any SKPaymentTransactionObserver] = []

    var all: [any SKPaymentTransactionObserver] { [first] + others }

    func contains(_ observer: any SKPaymentTransactionObserver) -> Bool {
        first === observer || others.contains { $0 === observer }
    }
}
