/// A queue's position in its store's updates.
///
/// A store numbers the changes that concern one device, so that positions only grow. Before the changes comes the
/// snapshot of unfinished transactions, in numbered parts, all at the position where it was taken. A cursor without a
/// part lies behind the whole snapshot.
public struct UpdateCursor: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    /// The position of the last change seen.
    public var position: Int
    /// The number of the snapshot's parts seen; nil behind the snapshot.
    public var part: Int?

    /// Makes a cursor among the changes, or within a snapshot.
    public init(position: Int, part: Int? = nil) {
        self.position = position
        self.part = part
    }

    /// Orders by position; within one position the snapshot's parts come in order, then the place behind it.
    public static func < (left: UpdateCursor, right: UpdateCursor) -> Bool {
        (left.position, left.part ?? .max) < (right.position, right.part ?? .max)
    }

    /// The position, and the part within a snapshot.
    public var description: String { part.map { "\(position)#\($0)" } ?? "\(position)" }
}
