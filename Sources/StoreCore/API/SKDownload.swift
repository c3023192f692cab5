import Foundation

/// A download of the files that the store hosts for a product.
///
/// A download belongs to a purchased or restored transaction, and is valid until the transaction is finished.
/// ``SKPaymentTransaction/downloads`` lists the downloads; ``SKPaymentQueue/start(_:)`` starts them. The properties
/// change just before an observer is notified of the change; they may be read on any thread.
// unchecked: mutable state is guarded by a lock.
open class SKDownload: KeyValueObject, @unchecked Sendable {
    let details: Locked<Details>

    /// Creates a download without content, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
    public override init() {
        details = Locked(Details())
        super.init()
    }

    /// Creates a download, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - transaction: the transaction to which the download belongs, held strongly.
    ///   - contentIdentifier: the identifier of the files; usually the product's.
    ///   - contentVersion: the version of the files: integers separated by periods.
    ///   - expectedContentLength: the size of the files in bytes.
    ///   - state: the state of the download.
    ///   - progress: the fraction received, 0...1.
    ///   - timeRemaining: the estimated time in seconds, or ``SKDownloadTimeRemainingUnknown``.
    ///   - contentURL: the location of the files once the download is finished.
    ///   - error: the reason for a failure.
    public convenience init(
        transaction: SKPaymentTransaction,
        contentIdentifier: String,
        contentVersion: String = "1.0",
        expectedContentLength: Int64 = 0,
        state: SKDownloadState = .waiting,
        progress: Float = 0,
        timeRemaining: TimeInterval = SKDownloadTimeRemainingUnknown,
        contentURL: URL? = nil,
        error: (any Error)? = nil
    ) {
        self.init()
        details.withLock {
            $0 = Details(
                transaction: transaction,
                contentIdentifier: contentIdentifier,
                contentVersion: contentVersion,
                expectedContentLength: expectedContentLength,
                state: state,
                progress: progress,
                timeRemaining: timeRemaining,
                contentURL: contentURL,
                error: error
            )
        }
    }

    /// The state of the download.
    open var state: SKDownloadState { details.withLock { $0.state } }

    /// The fraction of the data received, 0...1; for display only.
    open var progress: Float { details.withLock { $0.progress } }

    /// The estimated remaining time in seconds, or ``SKDownloadTimeRemainingUnknown``.
    open var timeRemaining: TimeInterval { details.withLock { $0.timeRemaining } }

    /// The location of the files; nil unless the state is `finished`.
    ///
    /// The file is temporary. Move it elsewhere before the transaction is finished: finishing the transaction removes
    /// the file, and this property is nil again. The same applies if the queue is released or relaunched.
    open var contentURL: URL? {
        let (url, source) = details.withLock { ($0.state == .finished ? $0.contentURL : nil, $0.source) }
        if let source, !source.engine.contains(source.number) { return nil }
        return url
    }

    /// The reason for the failure; nil unless the state is `failed`.
    open var error: (any Error)? { details.withLock { $0.state == .failed ? $0.error : nil } }

    /// The identifier of the files; usually the product's.
    open var contentIdentifier: String { details.withLock { $0.contentIdentifier } }

    /// The version of the files: integers separated by periods.
    open var contentVersion: String { details.withLock { $0.contentVersion } }

    /// The size of the files in bytes.
    open var expectedContentLength: Int64 { details.withLock { $0.expectedContentLength } }

    /// The transaction to which the files belong.
    ///
    /// For a download created by ``init()``, it is an empty transaction.
    open var transaction: SKPaymentTransaction {
        details.withLock { details in
            if let transaction = details.transaction { return transaction }
            let transaction = SKPaymentTransaction()
            details.transaction = transaction
            return transaction
        }
    }

    /// The older name of ``state``.
    open var downloadState: SKDownloadState { state }
    /// The older name of ``expectedContentLength``.
    open var contentLength: Int64 { expectedContentLength }

    /// Returns nil, because hosted files do not stay on this device after the purchase.
    open class func contentURL(forProductID productID: String) -> URL? { nil }

    /// Does nothing, because hosted files do not stay on this device after the purchase.
    open class func deleteContent(forProductID productID: String) {}

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKDownload {
    /// The properties of a download, guarded together by a lock.
    struct Details {
        var transaction: SKPaymentTransaction?
        var contentIdentifier = ""
        var contentVersion = ""
        var expectedContentLength: Int64 = 0
        var state = SKDownloadState.waiting
        var progress: Float = 0
        var timeRemaining = SKDownloadTimeRemainingUnknown
        var contentURL: URL?
        var error: (any Error)?
        var source: Source?
    }

    /// The engine to which a queue's download belongs, and the download's number in it.
    struct Source {
        let engine: DownloadEngine
        let number: Int
    }
}

extension SKDownload {
    private static let keys = Dictionary(
        named: key("state", or: "downloadState", \.state, .cases) { $0.state = $1 },
        key("progress", \.progress, KeyedKind("a Float") { ($0 as? NSNumber)?.floatValue }) { $0.progress = $1 },
        key("timeRemaining", \.timeRemaining, KeyedKind("a TimeInterval") { ($0 as? NSNumber)?.doubleValue }) {
            $0.timeRemaining = $1
        },
        key("contentURL", \.contentURL, KeyedKind<URL>.cast("a URL").optional) { $0.contentURL = $1 },
        key("error", \.error, KeyedKind<any Error>.cast("an Error").optional) { $0.error = $1 },
        key("contentIdentifier", \.contentIdentifier, .text) { $0.contentIdentifier = $1 },
        key("contentVersion", \.contentVersion, .text) { $0.contentVersion = $1 },
        key("expectedContentLength", or: "contentLength", \.expectedContentLength, .integer) {
            $0.expectedContentLength = $1
        },
        key("transaction", \.transaction, .cast("an SKPaymentTransaction")) { $0.transaction = $1 }
    )

    private static func key<Value: SendableMetatype>(
        _ name: String,
        or oldName: String? = nil,
        _ path: any KeyPath<SKDownload, Value> & Sendable,
        _ kind: KeyedKind<Value>,
        set: @escaping @Sendable (inout Details, Value) -> Void
    ) -> KeyedProperty {
        KeyedProperty(name, or: oldName, path, kind) { owner, value in owner.details.withLock { set(&$0, value) } }
    }
}

/// The state of a download.
///
/// The list is complete: later versions will not extend it.
@frozen
public enum SKDownloadState: Int, Sendable {
    /// Not started yet.
    case waiting = 0
    /// In progress.
    case active = 1
    /// Paused by the app, and can be resumed.
    case paused = 2
    /// Complete; see ``SKDownload/contentURL``.
    case finished = 3
    /// Failed; see ``SKDownload/error``.
    case failed = 4
    /// Canceled by the app, or because its transaction was finished or removed before the download was complete.
    case cancelled = 5
}

/// The value of ``SKDownload/timeRemaining`` if there is no estimate: -1, since no estimate is negative.
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1
