/// The revocations of which a queue's face and the app's own observers were not both told.
///
/// The store sends each until it is acknowledged, which it is when an observer of the app's was told, or the face has passed
/// it on to the app. An observer that comes before that is told by the store, a face from here: it looks the transactions up,
/// and finds none if somebody else is signed in by then.
struct RevocationNews: Sendable {
    /// The products of which observers were told before the queue had a face.
    private var unfaced: [String] = []
    /// The products of which only the face was told, and which the store would send again.
    private var unacknowledged: [String] = []
    /// The place in a driver's updates through which they can be acknowledged.
    private var place: (cursor: UpdateCursor, driver: ObjectIdentifier)?
    /// Whether there is something else to be acknowledged, which must not come again.
    private var isUrgent = false
    /// The number of the last notice of revoked products, with every store of the queue.
    private var lastNotice = 0

    /// Records that observers are told of revoked products, and returns the number of the notice.
    mutating func told(_ products: [String], isObserved: Bool, hasFace: Bool) -> Int {
        if !hasFace { Self.add(products, to: &unfaced) }
        if !isObserved { Self.add(products, to: &unacknowledged) }
        lastNotice += 1
        return lastNotice
    }

    /// Records that a promoted purchase was told: a face keeps it, and would keep it twice.
    mutating func toldPromotion() { isUrgent = true }

    /// Records that everything up to a cursor was told; returns whether to acknowledge it.
    mutating func told(through cursor: UpdateCursor, by driver: QueueDriver) -> Bool {
        defer { isUrgent = false }
        if unacknowledged.isEmpty { return true }
        if isUrgent {
            acknowledge()
            return true
        }
        place = (cursor, ObjectIdentifier(driver))
        return false
    }

    /// Records that the face has passed all on, through a notice; returns the place to be acknowledged, if that is told
    /// already.
    ///
    /// A later notice is on its way to the face, which will have passed on that one too when it next says so.
    mutating func passedOn(through notice: Int, by driver: QueueDriver) -> UpdateCursor? {
        guard notice == lastNotice else { return nil }
        let place = place
        acknowledge()
        return place?.driver == ObjectIdentifier(driver) ? place?.cursor : nil
    }

    private mutating func acknowledge() { (unacknowledged, place) = ([], nil) }

    /// Forgets what the app's first observer has to be told; returns whether the store has to be asked for it.
    mutating func takeForObserver() -> Bool {
        defer { acknowledge() }
        return !unacknowledged.isEmpty
    }

    /// Removes what a new face has to be told, and returns it with the number of the last notice.
    mutating func takeForFace() -> (products: [String], notice: Int) {
        defer { unfaced = [] }
        return (unfaced, lastNotice)
    }

    /// Forgets the news of a store that was replaced.
    mutating func forget() {
        let last = lastNotice
        self = RevocationNews()
        lastNotice = last
    }

    private static func add(_ products: [String], to list: inout [String]) {
        for product in products where !list.contains(product) { list.append(product) }
    }
}
