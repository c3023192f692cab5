import Foundation
import StoreCore
import Testing

/// An error of Store Kit's or of the network's, which a test makes happen and the app is to hear.
struct Mishap: Sendable, CustomTestStringConvertible {
    static let reason = "the test wants it so"

    /// The error as code has it that never heard of `StoreFailure`.
    let error: any Error
    /// The error as an app sees it: its domain, its code and the sentence that came with it.
    let line: String

    var testDescription: String { line }

    init(_ code: SKError.Code) {
        error = SKError(code, userInfo: [NSLocalizedFailureReasonErrorKey: Self.reason])
        line = "SKErrorDomain \(code.rawValue): \(Self.reason)"
    }

    init(_ code: URLError.Code) {
        error = URLError(code, userInfo: [NSLocalizedFailureReasonErrorKey: Self.reason])
        line = "NSURLErrorDomain \(code.rawValue): \(Self.reason)"
    }

    /// Every code that Store Kit has a name for.
    static let storeKit = (0...99).compactMap(SKError.Code.init(rawValue:)).map { Mishap($0) }

    static let network = [
        URLError.Code.timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet,
        .secureConnectionFailed, .userAuthenticationRequired, .badServerResponse, .cancelled,
    ]
    .map { Mishap($0) }
}

/// An app that buys, restores, looks up and downloads, and writes down what comes of it, errors whole.
///
/// One thread at a time uses it, as with inline delivery.
final class Diarist: NSObject, SKPaymentTransactionObserver, SKProductsRequestDelegate {
    private var lines: [String] = []
    /// What was sold at the last look-up.
    private(set) var products: [SKProduct] = []
    /// Whether it finishes a transaction when its download is there.
    var finishesDownloads = true

    /// What was written down since this was last asked.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    func note(_ line: String) { lines.append(line) }

    private func describe(_ error: (any Error)?) -> String {
        guard let error else { return "no error" }
        guard error is SKError || error is URLError else { return "an error of another type: \(error)" }
        let stored = error as NSError
        let reason = stored.userInfo[NSLocalizedFailureReasonErrorKey] as? String ?? "no reason"
        return "\(stored.domain) \(stored.code): \(reason)"
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let product = transaction.payment.productIdentifier
            switch transaction.transactionState {
            case .purchased: note("purchased \(product)")
            case .restored: note("restored \(product)")
            case .failed: note("failed \(product): \(describe(transaction.error))")
            case .purchasing, .deferred: continue
            @unknown default: note("unknown \(product)")
            }
            if transaction.downloads.isEmpty { queue.finishTransaction(transaction) }
        }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        for download in downloads {
            if download.state == .failed { note("download failed: \(describe(download.error))") }
            if download.state == .finished {
                let content = download.contentURL.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
                note("downloaded \(download.contentIdentifier): \(content ?? "nothing")")
                if finishesDownloads { queue.finishTransaction(download.transaction) }
            }
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { note("restore finished") }

    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
        note("restore failed: \(describe(error))")
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        // Store Kit promises no order.
        products = response.products.sorted { $0.productIdentifier < $1.productIdentifier }
        note("sold: \(products.map(\.productIdentifier).joined(separator: " "))")
    }

    func requestDidFinish(_ request: SKRequest) { note("request finished") }

    func request(_ request: SKRequest, didFailWithError error: any Error) { note("request failed: \(describe(error))") }
}
