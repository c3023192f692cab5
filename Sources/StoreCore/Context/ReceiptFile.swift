import Foundation
import Synchronization

/// A context's app receipt as a file that `Data(contentsOf:)` reads.
///
/// Written when its URL is first requested, and from then on before each callback that a change may cause.
final class ReceiptFile: Sendable {
    /// Whether the URL was ever requested; lock-free, because every callback checks it.
    private let isWatched = Atomic(false)
    private let state = Locked(State())

    fileprivate struct State {
        /// Nil until there is a receipt.
        var file: ReplacedFile?
        var content = Content.unknown
    }

    /// The receipt that the file holds.
    fileprivate enum Content {
        case unknown
        case version(ReceiptVersion)
        case data(Data)
    }

    /// Updates the file and returns its URL, or nil if there is no receipt, or the file could not be written.
    func url(_ core: ContextCore) -> URL? {
        isWatched.store(true, ordering: .sequentiallyConsistent)
        return refresh(core)
    }

    /// Updates the file if its URL was ever requested.
    @inline(__always)
    func keepUp(with core: ContextCore) {
        if isWatched.load(ordering: .sequentiallyConsistent) { _ = refresh(core) }
    }

    /// Logs the system's error if a folder or a file cannot be written; the file stays as it was.
    private func refresh(_ core: ContextCore) -> URL? {
        do {
            // Whatever the store sends meanwhile goes out after the lock is released.
            return try CallScope.outermost {
                // Created with the lock held, so that no older receipt replaces a newer one. It comes from the store,
                // which knows nothing of contexts.
                try state.withLock { state in try state.update(core.setup.backend) }
            }
        } catch {
            core.setup.log("the app receipt's file could not be written: \(error)")
            return nil
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
        guard let receipt = backend?.services.receipts?.appReceipt else { return remove() }
        if case .data(receipt) = content { return file?.url }
        return try write(ReceiptImage(receipt), .data(receipt))
    }

    private mutating func write(_ image: ReceiptImage, _ content: ReceiptFile.Content) throws -> URL? {
        if file == nil { file = ReplacedFile() }
        // Mutated in place, so that a copy spoiled by a failure is not used again.
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
    /// The URL of the file with the store's app receipt, nil while there is no receipt (behavior 184).
    ///
    /// The counterpart of Apple's `Bundle.main.appStoreReceiptURL`. Foundation declares that property on every
    /// platform, but away from Apple's it is always nil. This line in an app's own target replaces it there:
    ///
    /// ```swift
    /// extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
    /// ```
    ///
    /// The file is a temporary one, in a folder that only its user may read. It is deleted with the context; that of
    /// ``process``, with the process. Files left by a killed process are deleted by the next process that writes a
    /// receipt or downloads a file. The file is up to date whenever this is read and, from then on, before an observer
    /// or a request's delegate is called.
    ///
    /// A ``SandboxStore`` creates and writes a receipt only when its entries change, or after a refresh; the creation
    /// date is that moment. A purchase then writes only what is new, however much the account owns, if the store's
    /// signer is an ``HMACReceiptSigner`` and the system is Linux; elsewhere the whole file is written. A refund, a
    /// deletion or a change of account rewrites the whole receipt once. For every other store,
    /// ``ReceiptService/appReceipt`` is read before each round of callbacks and written if it has changed.
    ///
    /// If the file cannot be written, the error goes to the context's log and this is nil.
    public var appReceiptURL: URL? { core.receiptFile.url(core) }
}
