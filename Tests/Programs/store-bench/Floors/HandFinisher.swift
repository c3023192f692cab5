import Foundation

/// An observer of a hand-written queue's transactions.
protocol HandObserver: AnyObject {
    func queue(_ queue: HandFake, updated transactions: [HandTransaction])
    func queue(_ queue: HandFake, removed transactions: [HandTransaction])
}

/// An observer that finishes purchased transactions and counts removed ones.
final class HandFinisher: NSObject, HandObserver {
    private(set) var removed = 0

    func queue(_ queue: HandFake, updated transactions: [HandTransaction]) {
        for index in transactions.indices where transactions[index].state == .purchased {
            queue.finish(transactions[index])
        }
    }

    func queue(_ queue: HandFake, removed transactions: [HandTransaction]) {
        removed += transactions.count
    }
}
