import Foundation

/// Files that the store hosts for a product, on their way to this device.
///
/// A download belongs to a purchased or restored transaction and is of use until that is finished:
/// ``SKPaymentTransaction/downloads`` has it, ``SKPaymentQueue/start(_:)`` sets it going. Its properties are brought up to
/// date just before an observer hears of them; they may be read on any thread.
// unchecked: what changes is behind a lock.
open class SKDownload: NSObject, @unchecked Sendable {
    let details: Locked<Details>

    /// A download without content, to be filled in by a subclass or by ``setValue(_:forKey:)``.
    public override init() {
        details = Locked(Details())
        super.init()
    }

    /// A download, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - transaction: the purchase that it belongs to, which it keeps alive.
    ///   - contentIdentifier: names the files; usually the product's identifier.
    ///   - contentVersion: the version of the files, integers separated by periods.
    ///   - expectedContentLength: their size in bytes.
    ///   - state: how far it has come.
    ///   - progress: how much has arrived, 0...1.
    ///   - timeRemaining: an estimate in seconds, or ``SKDownloadTimeRemainingUnknown``.
    ///   - contentURL: where the files are, once it is finished.
    ///   - error: why it failed.
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

    /// How far it has come.
    open var state: SKDownloadState { details.withLock { $0.state } }

    /// How much has arrived, 0...1; for display only.
    open var progress: Float { details.withLock { $0.progress } }

    /// An estimate in seconds, or ``SKDownloadTimeRemainingUnknown``.
    open var timeRemaining: TimeInterval { details.withLock { $0.timeRemaining } }

    /// Where the files are, nil unless the state is `finished`.
    ///
    /// A file among the temporary ones. Move it away before the transaction is finished: then the file is removed, and this
    /// is nil again.
    open var contentURL: URL? {
        let (url, source) = details.withLock { ($0.state == .finished ? $0.contentURL : nil, $0.source) }
        if let source, !source.engine.keeps(source.number) { return nil }
        return url
    }

    /// Why it failed, nil unless the state is `failed`.
    open var error: (any Error)? { details.withLock { $0.state == .failed ? $0.error : nil } }

    /// Names the files; usually the product's identifier.
    open var contentIdentifier: String { details.withLock { $0.contentIdentifier } }

    /// The version of the files, integers separated by periods.
    open var contentVersion: String { details.withLock { $0.contentVersion } }

    /// The size of the files in bytes.
    open var expectedContentLength: Int64 { details.withLock { $0.expectedContentLength } }

    /// The purchase that the files belong to.
    ///
    /// A download made by ``init()`` has an empty one.
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

    /// Where a product's files are kept on this device: nil, since nothing here keeps any after the purchase.
    open class func contentURL(forProductID productID: String) -> URL? { nil }

    /// Removes a product's files from this device: does nothing, since nothing here keeps any after the purchase.
    open class func deleteContent(forProductID productID: String) {}

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        override open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #else
        /// Changes a property by its name, for tests that prepare objects that way.
        ///
        /// A name that is not a property's, or a value of another type, stops the process. A state may be given as its
        /// raw value.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        /// A property by its name.
        ///
        /// A name that is not a property's stops the process.
        open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #endif
}

extension SKDownload {
    /// All that a download says, changed as a whole.
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

    /// The engine that a queue's download belongs to, and under which number.
    struct Source {
        let engine: DownloadEngine
        let number: Int
    }
}

extension SKDownload: KeyValueCoded {
    private static let keys: [String: KeyedProperty<SKDownload>] = {
        let state = key(\.state, .cases) { $0.state = $1 }
        let length = key(\.expectedContentLength, .integer) { $0.expectedContentLength = $1 }
        return [
            "state": state,
            "downloadState": state,
            "progress": key(\.progress, KeyedKind("a Float") { ($0 as? NSNumber)?.floatValue }) { $0.progress = $1 },
            "timeRemaining": key(\.timeRemaining, KeyedKind("a TimeInterval") { ($0 as? NSNumber)?.doubleValue }) {
                $0.timeRemaining = $1
            },
            "contentURL": key(\.contentURL, KeyedKind<URL>.cast("a URL").optional) { $0.contentURL = $1 },
            "error": key(\.error, KeyedKind<any Error>.cast("an Error").optional) { $0.error = $1 },
            "contentIdentifier": key(\.contentIdentifier, .text) { $0.contentIdentifier = $1 },
            "contentVersion": key(\.contentVersion, .text) { $0.contentVersion = $1 },
            "expectedContentLength": length,
            "contentLength": length,
            "transaction": key(\.transaction, .cast("an SKPaymentTransaction")) { $0.transaction = $1 },
        ]
    }()

    private static func key<Value: SendableMetatype>(
        _ path: any KeyPath<SKDownload, Value> & Sendable,
        _ kind: KeyedKind<Value>,
        set: @escaping @Sendable (inout Details, Value) -> Void
    ) -> KeyedProperty<SKDownload> {
        KeyedProperty(path, kind) { owner, value in owner.details.withLock { set(&$0, value) } }
    }
}
