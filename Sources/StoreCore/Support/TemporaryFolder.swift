import Foundation
import Synchronization

/// A folder among the temporary files that goes with its last reference, or with the process.
///
/// All of a process's temporary folders lie in one folder of its own, see `ProcessFolder`. Nothing is on disk before `make`.
package final class TemporaryFolder: Sendable {
    /// Where the folder is, or will be.
    package let url: URL
    private let process = ProcessFolder.current
    private let isMade = Atomic(false)

    /// Names a folder.
    ///
    /// - Parameter purpose: the beginning of its name, to which a unique part is added.
    package init(for purpose: String) {
        url = process.url.appendingPathComponent("\(purpose)-\(UUID().uuidString)", isDirectory: true)
    }

    deinit { remove() }

    /// Makes the folder, which only its user may read, unless it is there.
    package func make() throws {
        isMade.store(true, ordering: .sequentiallyConsistent)
        try process.make()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Removes the folder, if there is one, and what is in it.
    package func remove() {
        if isMade.load(ordering: .sequentiallyConsistent) { process.remove(url) }
    }
}
