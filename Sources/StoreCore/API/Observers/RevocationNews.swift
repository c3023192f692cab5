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

    /// Records that observers were told of revoked products.
    mutating func told(_ products: [String], isObserved: Bool, hasFace: Bool) {
        if !hasFace { Self.add(products, to: &unfaced) }
        if !isObserved { Self.add(products, to: &unacknowledged) }
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

    /// Records that the face has passed all on; returns the place to be acknowledged, if that is told already.
    mutating func passedOn(by driver: QueueDriver) -> UpdateCursor? {
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

    /// Removes what a new face has to be told, and returns it.
    mutating func takeForFace() -> [String] {
        defer { unfaced = [] }
        return unfaced
    }

    private static func add(_ products: [String], to list: inout [String]) {
        for product in products where !list.contains(product) { list.append(product) }
    }
}
