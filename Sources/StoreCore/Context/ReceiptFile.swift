import Foundation
import Synchronization

/// A context's app receipt as a file that `Data(contentsOf:)` reads.
///
/// Written when somebody first asks where it is, and from then on before each callback that may follow from a change.
final class ReceiptFile: Sendable {
    /// Asked before all callbacks, so without a lock.
    private let isWatched = Atomic(false)
    private let state = Locked(State())

    private struct State {
        /// The folder that is this file's alone, nil until it is there.
        var folder: TemporaryFolder?
        /// What the file says, nil while there is none.
        var content: Data?
    }

    /// Brings the file up to date, and says where it is; nil where there is no receipt.
    ///
    /// - Throws: what Foundation says of a folder or a file that cannot be written; the file stays as it was.
    func url(containing receipt: () -> Data?) throws -> URL? {
        isWatched.store(true, ordering: .sequentiallyConsistent)
        return try update(receipt)
    }

    /// Brings the file up to date, if anybody ever asked where it is.
    @inline(__always)
    func keepUp(with core: ContextCore) {
        if isWatched.load(ordering: .sequentiallyConsistent) { refresh(core) }
    }

    private func refresh(_ core: ContextCore) {
        do {
            _ = try update { core.setup.backend?.appReceipt }
        } catch {
            core.setup.log("the app receipt's file could not be written: \(error)")
        }
    }

    private func update(_ receipt: () -> Data?) throws -> URL? {
        // Made with the lock held: no older receipt takes the place of a newer one. It comes from the store, which
        // knows nothing of contexts.
        try state.withLock { state in
            let folder = state.folder ?? TemporaryFolder(for: "receipt")
            let file = folder.url.appendingPathComponent("StoreKit/receipt")
            let isThere = FileManager.default.fileExists(atPath: file.path)
            guard let receipt = receipt() else {
                if isThere { try FileManager.default.removeItem(at: file) }
                state.content = nil
                return nil
            }
            if state.content != receipt || !isThere {
                // Whoever cleans up temporary files may have taken the folder too.
                try folder.make()
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                state.folder = folder
                try receipt.write(to: file, options: .atomic)
                state.content = receipt
            }
            return file
        }
    }
}

extension StoreContext {
    /// Where the app receipt of the context's store lies as a file, nil while there is no receipt (behaviour 184).
    ///
    /// What Apple's `Bundle.main.appStoreReceiptURL` is to an app. Foundation declares that property on every platform, and
    /// it is always nil away from Apple's; this line in an app's own target takes its place there:
    ///
    /// ```swift
    /// extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
    /// ```
    ///
    /// The file is among the temporary files, in a folder that its user alone may read. It goes with the context, the
    /// process's own when the process exits. What a process leaves that is killed, the next one removes that writes such a file
    /// or downloads one. It is up to date whenever this is read and, from then on, before an
    /// observer or a request's delegate is called: each round of callbacks then makes and writes the whole receipt, which
    /// costs what the account owns. What a store has for its receipt is ``StoreBackend/appReceipt``. Where the file cannot be written the context's log says so, and this is nil.
    public var appReceiptURL: URL? {
        do {
            return try core.receiptFile.url { core.setup.backend?.appReceipt }
        } catch {
            core.setup.log("the app receipt's file could not be written: \(error)")
            return nil
        }
    }
}
