import StoreCore
import StoreKit
import Testing

@Suite struct StoreKitErrorTests {
    private let errors: [StoreKitError] = [
        .unknown, .userCancelled, .networkError(URLError(.timedOut)),
        .systemError(StoreFailure.storeKit(.unknown, "the ledger is full")), .notAvailableInStorefront,
        .notEntitled, .unsupported, .invalidPresentationContext,
    ]

    @Test func `Each error has a sentence of its own`() {
        #expect(Set(errors.map { $0.failureReason ?? $0.errorDescription }).count == 8)
        #expect(errors.allSatisfy { ($0 as any Error).localizedDescription == $0.errorDescription })
    }

    @Test func `A17b: Errors have Store Kit's texts, and reasons of ours`() {
        struct Cause: LocalizedError { var errorDescription: String? { "The disk is full." } }
        #expect(StoreKitError.unknown.localizedDescription == "Unable to Complete Request")
        #expect(StoreKitError.unsupported.localizedDescription == "Unable to Complete Request")
        #expect(StoreKitError.systemError(Cause()).localizedDescription == "The disk is full.")
        #expect(StoreKitError.systemError(SKError(.paymentInvalid)).localizedDescription.hasSuffix("error 3.)"))
        #expect(Product.PurchaseError.productUnavailable.localizedDescription == "Item Unavailable")
        let reasons = [
            StoreKitError.unknown.failureReason, StoreKitError.unsupported.failureReason,
            Product.PurchaseError.productUnavailable.failureReason,
        ]
        #expect(Set(reasons).count == 3 && reasons.allSatisfy { $0?.hasSuffix(".") == true })
    }

    // MARK: NSError

    @Test func `An NSError with an error's domain and number is cast, and caught`() throws {
        for error in errors {
            let plain: any Error = NSError(domain: "StoreKit.StoreKitError", code: (error as NSError).code)
            #expect((try #require(plain as? StoreKitError) as NSError).code == (error as NSError).code)
        }
        func caught(_ error: any Error) -> String {
            do { throw error } catch StoreKitError.userCancelled { return "canceled" } catch let error as StoreKitError
            {
                return "\(error)"
            } catch { return "foreign" }
        }
        let canceled: any Error = StoreKitError.userCancelled
        #expect(caught(canceled as NSError) == "canceled")
        #expect(caught(StoreKitError.unsupported as any Error as NSError) == "unsupported")
        #expect(caught(NSError(domain: "StoreKit.StoreKitError", code: 99)) == "foreign")
        #expect(caught(NSError(domain: SKErrorDomain, code: 2)) == "foreign")
    }

    @Test func `The error below survives the way through NSError`() throws {
        let disk = NSError(domain: NSPOSIXErrorDomain, code: 28)
        for error in [StoreKitError.networkError(URLError(.timedOut)), .systemError(disk)] as [any Error] {
            for plain in [error as NSError, try #require((error as Any) as? NSError)] {
                #expect(plain.domain == "StoreKit.StoreKitError")
                #expect(plain.localizedDescription == error.localizedDescription)
                switch try #require((plain as any Error) as? StoreKitError) {
                case .networkError(let below): #expect(below.code == .timedOut)
                case .systemError(let below): #expect(below as NSError == disk)
                default: Issue.record("\(plain)")
                }
            }
        }
    }

    @Test func `Errors of purchases and refunds are cast likewise`() {
        let purchase: any Error = Product.PurchaseError.ineligibleForOffer
        #expect((purchase as NSError) as any Error as? Product.PurchaseError == .ineligibleForOffer)
        let plain = NSError(domain: "StoreKit.Product.PurchaseError", code: 1)
        #expect(plain as any Error as? Product.PurchaseError == .productUnavailable)
        #expect(plain as any Error as? StoreKitError == nil)
        let refund: any Error = Transaction.RefundRequestError.failed
        #expect((refund as NSError) as any Error as? Transaction.RefundRequestError == .failed)
        #expect(plain as any Error as? Transaction.RefundRequestError == nil)
        let (one, other) = (Product.PurchaseError.productUnavailable, Product.PurchaseError.productUnavailable)
        #expect(AnyHashable(one) == AnyHashable(other))
    }

    @Test func `An error of the store or of the network has the reason that was given`() {
        let failure = StoreFailure.storeKit(.unknown, "the ledger is full")
        #expect(StoreKitError.systemError(failure).failureReason == "the ledger is full")
        let told = URLError(.timedOut, userInfo: [StoreFailure.reasonKey: "the store is asleep"])
        #expect(StoreKitError.networkError(told).failureReason == "the store is asleep")
        #expect(StoreKitError.networkError(URLError(.timedOut)).failureReason != nil)
        #expect(StoreKitError.notEntitled.failureReason == nil)
    }

    @Test func `Only errors that may pass suggest to try again`() {
        #expect(StoreKitError.networkError(URLError(.timedOut)).recoverySuggestion != nil)
        #expect(StoreKitError.unknown.recoverySuggestion != nil)
        #expect(StoreKitError.userCancelled.recoverySuggestion == nil)
        #expect(StoreKitError.notEntitled.recoverySuggestion == nil)
    }
}
