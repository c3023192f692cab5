import Foundation
import Synchronization

/// A temporary folder that is removed with its last reference, or with the process.
///
/// All of a process's temporary folders are in one folder of its own, see `ProcessFolder`. Nothing is on disk before
/// `make`.
package final class TemporaryFolder: Sendable {
    /// The folder's location, before and after it is made.
    package let url: URL
    private let process = ProcessFolder.current
    private let isMade = Atomic(false)

    /// Makes a temporary folder's location, without creating it.
    ///
    /// - Parameter purpose: the beginning of its name, to which a unique part is added.
    package init(for purpose: String) {
        url = process.url.appendingPathComponent("\(purpose)-\(UUID().uuidString)", isDirectory: true)
    }

    deinit { remove() }

    /// Creates the folder, which only its user may read, unless it exists.
    package func make() throws {
        isMade.store(true, ordering: .sequentiallyConsistent)
        try process.make()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Removes the folder, if it exists, and its contents.
    package func remove() {
        if isMade.load(ordering: .sequentiallyConsistent) { process.remove(url) }
    }
}
