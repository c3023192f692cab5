/// A violation by a storage.
struct StorageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
