import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct DownloadTests {
    @Test func `B193: A download begins as waiting`() {
        let download = SKDownload(transaction: SKPaymentTransaction(), contentIdentifier: "level.2")
        #expect(download.state == .waiting)
        #expect(download.downloadState == .waiting)
        #expect(download.progress == 0)
        #expect(download.timeRemaining == SKDownloadTimeRemainingUnknown)
    }

    @Test func `B194: The files' place is told only when finished, the error only when failed`() {
        let transaction = SKPaymentTransaction()
        func download(_ state: SKDownloadState) -> SKDownload {
            SKDownload(
                transaction: transaction,
                contentIdentifier: "level.2",
                state: state,
                contentURL: URL(fileURLWithPath: "/content/level.2"),
                error: SKError(.unknown)
            )
        }
        for state in [SKDownloadState.waiting, .active, .paused, .finished, .failed, .cancelled] {
            #expect((download(state).contentURL != nil) == (state == .finished))
            #expect((download(state).error != nil) == (state == .failed))
        }
        #expect(download(.failed).error as? SKError == SKError(.unknown))
    }

    @Test func `B194: The time remaining cannot be mistaken for an estimate`() {
        #expect(SKDownloadTimeRemainingUnknown < 0)
    }

    @Test func `A download has its transaction and what it was made of`() {
        let transaction = SKPaymentTransaction()
        let download = SKDownload(
            transaction: transaction,
            contentIdentifier: "level.2",
            contentVersion: "1.1",
            expectedContentLength: 5_000_000_000,
            state: .active,
            progress: 0.25,
            timeRemaining: 30
        )
        #expect(download.transaction === transaction)
        #expect(download.contentIdentifier == "level.2")
        #expect(download.contentVersion == "1.1")
        #expect(download.expectedContentLength == 5_000_000_000)
        #expect(download.contentLength == 5_000_000_000)
        #expect(download.progress == 0.25)
        #expect(download.timeRemaining == 30)
    }

    @Test func `A test prepares an empty download key by key`() {
        let download = SKDownload()
        #expect(download.transaction === download.transaction)
        let transaction = SKPaymentTransaction()
        download.setValue(transaction, forKey: "transaction")
        download.setValue(3, forKey: "state")
        download.setValue(URL(fileURLWithPath: "/tmp"), forKey: "contentURL")
        download.setValue(0.5, forKey: "progress")
        download.setValue(12, forKey: "timeRemaining")
        download.setValue(100, forKey: "contentLength")
        download.setValue("level.2", forKey: "contentIdentifier")
        download.setValue("1.0", forKey: "contentVersion")
        #expect(download.transaction === transaction)
        #expect(download.state == .finished)
        #expect(download.contentURL != nil)
        #expect(download.progress == 0.5)
        #expect(download.timeRemaining == 12)
        #expect(download.expectedContentLength == 100)
        #expect(download.contentIdentifier == "level.2")
        #expect(download.contentVersion == "1.0")
        download.setValue(SKDownloadState.failed, forKey: "downloadState")
        download.setValue(SKError(.unknown), forKey: "error")
        #expect(download.value(forKey: "error") is SKError)
        #expect(download.value(forKey: "state") as? Int == 4)
    }

    @Test func `No files are kept on the device after the purchase`() {
        SKDownload.deleteContent(forProductID: "level.2")
        #expect(SKDownload.contentURL(forProductID: "level.2") == nil)
    }

    @Test func `B190: Terminating for an invalid receipt ends the process`() async throws {
        let result = try await #require(
            processExitsWith: .exitCode(173),
            observing: [\.standardErrorContent]
        ) { SKTerminateForInvalidReceipt() }
        #expect(said(result).contains("receipt is not valid"))
    }

    @Test func `B189: The receipt's properties have three different keys`() {
        let keys = [SKReceiptPropertyIsExpired, SKReceiptPropertyIsRevoked, SKReceiptPropertyIsVolumePurchase]
        #expect(Set(keys).count == 3)
    }
}
