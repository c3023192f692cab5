import Foundation
import Synchronization

/// A context's app receipt as a file that `Data(contentsOf:)` reads.
///
/// Written when somebody first asks where it is, and from then on before each callback that may follow from a change.
final class ReceiptFile: Sendable {
    /// Asked before all callbacks, so without a lock.
    private let isWatched = Atomic(false)
    private let state = Locked(State())

    fileprivate struct State {
        /// Nil until there is a receipt.
        var file: ReplacedFile?
        var content = Content.unknown
    }

    /// What the file says.
    fileprivate enum Content {
        case unknown
        case version(ReceiptVersion)
        case data(Data)
    }

    /// Brings the file up to date, and says where it is; nil where there is no receipt.
    ///
    /// - Throws: what the system says of a folder or a file that cannot be written; the file stays as it was.
    func url(_ core: ContextCore) throws -> URL? {
        isWatched.store(true, ordering: .sequentiallyConsistent)
        return try update(core)
    }

    /// Brings the file up to date, if anybody ever asked where it is.
    @inline(__always)
    func keepUp(with core: ContextCore) {
        if isWatched.load(ordering: .sequentiallyConsistent) { refresh(core) }
    }

    private func refresh(_ core: ContextCore) {
        do {
            _ = try update(core)
        } catch {
            core.setup.log("the app receipt's file could not be written: \(error)")
        }
    }

    private func update(_ core: ContextCore) throws -> URL? {
        // What a store has to send on this occasion goes out when the lock is free.
        try CallScope.outermost {
            // Made with the lock held: no older receipt takes the place of a newer one. It comes from the store, which
            // knows nothing of contexts.
            try state.withLock { state in try state.update(core.setup.backend) }
        }
    }
}

extension ReceiptFile.State {
    fileprivate mutating func update(_ backend: (any StoreBackend)?) throws -> URL? {
        let isInPlace = file?.isInPlace ?? false
        if !isInPlace { content = .unknown }
        if let source = backend as? any ReceiptSource {
            var known: ReceiptVersion?
            if case .version(let version) = content { known = version }
            switch source.receipt(unless: known) {
            case .unchanged: return file?.url
            case .none: return remove()
            case .changed(let image, let version): return try write(image, .version(version))
            }
        }
        guard let receipt = backend?.appReceipt else { return remove() }
        if case .data(receipt) = content { return file?.url }
        return try write(ReceiptImage(receipt), .data(receipt))
    }

    private mutating func write(_ image: ReceiptImage, _ content: ReceiptFile.Content) throws -> URL? {
        if file == nil { file = ReplacedFile() }
        // In place: what a failure has spoiled is not used again.
        try file?.write(image)
        self.content = content
        return file?.url
    }

    private mutating func remove() -> URL? {
        file?.remove()
        content = .unknown
        return nil
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
    /// process's own with the process. Files left by a killed process are removed by the next process that writes a receipt
    /// or downloads a file. The file is up to date whenever this is read and, from then on, before an observer or a
    /// request's delegate is called.
    ///
    /// A ``SandboxStore`` makes and writes a receipt only when it lists something else, or after a refresh: its creation date
    /// is that moment's. A purchase then costs what is new, however much the account owns, as long as the store's signer is
    /// an ``HMACReceiptSigner`` and the system is Linux; elsewhere the whole file is written. What is refunded, deleted, or
    /// another account's costs the whole receipt once. Of every other store the receipt, which is
    /// ``StoreBackend/appReceipt``, is asked for before each round of callbacks and written if it has changed.
    ///
    /// Where the file cannot be written the context's log says so, and this is nil.
    public var appReceiptURL: URL? {
        do {
            return try core.receiptFile.url(core)
        } catch {
            core.setup.log("the app receipt's file could not be written: \(error)")
            return nil
        }
    }
}
