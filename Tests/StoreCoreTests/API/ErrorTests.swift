import Foundation
import StoreCore
import Testing

@Suite struct ErrorTests {
    private static let all = (0...40).compactMap(SKError.Code.init(rawValue:))

    @Test func `B114: One domain names Store Kit's errors`() {
        #expect(SKErrorDomain == "SKErrorDomain")
        #expect(SKError.errorDomain == SKErrorDomain)
        #expect((SKError(.unknown) as NSError).domain == SKErrorDomain)
    }

    @Test func `B115: The first codes are numbered in order`() {
        let codes: [SKError.Code] = [.unknown, .clientInvalid, .paymentCancelled, .paymentInvalid, .paymentNotAllowed]
        #expect(codes.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(
            codes == [
                SKErrorUnknown, SKErrorClientInvalid, SKErrorPaymentCancelled, SKErrorPaymentInvalid,
                SKErrorPaymentNotAllowed,
            ]
        )
    }

    @Test func `B196: The later codes have their numbers, and there are no others`() {
        #expect(Self.all.count == 22)
        #expect(SKError.storeProductNotAvailable.rawValue == 5)
        #expect(SKError.cloudServicePermissionDenied.rawValue == 6)
        #expect(SKError.cloudServiceNetworkConnectionFailed.rawValue == 7)
        #expect(SKError.cloudServiceRevoked.rawValue == 8)
        #expect(SKError.privacyAcknowledgementRequired.rawValue == 9)
        #expect(SKError.unauthorizedRequestData.rawValue == 10)
        #expect(SKError.invalidOfferIdentifier.rawValue == 11)
        #expect(SKError.invalidSignature.rawValue == 12)
        #expect(SKError.missingOfferParams.rawValue == 13)
        #expect(SKError.invalidOfferPrice.rawValue == 14)
        #expect(SKError.overlayCancelled.rawValue == 15)
        #expect(SKError.overlayInvalidConfiguration.rawValue == 16)
        #expect(SKError.overlayTimeout.rawValue == 17)
        #expect(SKError.ineligibleForOffer.rawValue == 18)
        #expect(SKError.unsupportedPlatform.rawValue == 19)
        #expect(SKError.overlayPresentedInBackgroundScene.rawValue == 20)
        #expect(SKError.paymentMethodBindingConfigurationRequired.rawValue == 21)
    }

    @Test(arguments: all) func `B116: Every code explains itself in a sentence of its own`(code: SKError.Code) throws {
        func reason(_ code: SKError.Code) -> String? { (SKError(code) as NSError).localizedFailureReason }
        #expect(try #require(reason(code)).hasSuffix("."))
        #expect(Self.all.filter { reason($0) == reason(code) } == [code])
        #expect(SKError(code).userInfo.isEmpty)
    }

    @Test(arguments: all) func `A17b: An error is described by its domain and number`(code: SKError.Code) {
        let text = "The operation couldn’t be completed. (SKErrorDomain error \(code.rawValue).)"
        for info in [[:], [StoreFailure.reasonKey: "why", NSLocalizedFailureReasonErrorKey: "why"]] {
            let error = SKError(code, userInfo: info)
            #expect(error.localizedDescription == text)
            #expect((error as any Error).localizedDescription == text)
            #expect((error as NSError).localizedDescription == text)
        }
    }

    @Test func `A description that was given comes before the sentence`() {
        let error = SKError(.paymentInvalid, userInfo: [NSLocalizedDescriptionKey: "no such coins"])
        #expect(error.localizedDescription == "no such coins")
        #expect((error as any Error).localizedDescription == "no such coins")
        #expect((error as NSError).localizedDescription == "no such coins")
    }

    @Test(arguments: all) func `An error tells its code in every way`(code: SKError.Code) {
        let error: any Error = SKError(code)
        #expect((error as? SKError)?.code == code)
        #expect((error as NSError).code == code.rawValue)
        #expect((error as? SKError)?.errorCode == code.rawValue)
        #expect(code ~= error)
        #expect(!((code == .unknown ? .clientInvalid : SKError.unknown) ~= error))
    }

    @Test func `An error is caught by its code, an error of another kind is not`() {
        func isCancelled(_ error: any Error) -> Bool {
            do { throw error } catch SKError.paymentCancelled { return true } catch { return false }
        }
        #expect(isCancelled(SKError(.paymentCancelled)))
        #expect(!isCancelled(SKError(.paymentInvalid)))
        #expect(!isCancelled(URLError(.cancelled)))
    }

    @Test func `An NSError of the domain is cast, and caught by its code`() throws {
        let plain: any Error = NSError(domain: SKErrorDomain, code: 2, userInfo: ["a": 1])
        let error = try #require(plain as? SKError)
        #expect(error.code == .paymentCancelled)
        #expect(error.userInfo["a"] as? Int == 1)
        #expect(plain is SKError)
        #expect((plain as Any) is SKError)
        #expect(SKError.paymentCancelled ~= plain)
        func caught(_ error: any Error) -> String {
            do { throw error } catch SKError.paymentCancelled { return "canceled" } catch let error as SKError {
                return "\(error.errorCode)"
            } catch { return "foreign" }
        }
        #expect(caught(plain) == "canceled")
        #expect(caught(NSError(domain: SKErrorDomain, code: 99)) == "99")
        #expect(caught(NSError(domain: NSCocoaErrorDomain, code: 2)) == "foreign")
        #expect(NSError(domain: NSURLErrorDomain, code: 2) as? SKError == nil)
        #expect(Set([error, SKError(.paymentCancelled, userInfo: ["a": 1])]).count == 1)
        #expect(AnyHashable(error) == AnyHashable(SKError(.paymentCancelled, userInfo: ["a": 1])))
    }

    @Test func `An error as an NSError has its code and information, and the error below`() throws {
        let below = NSError(domain: "ASDServerErrorDomain", code: 3532)
        let error: any Error = SKError(.unknown, userInfo: [NSUnderlyingErrorKey: below])
        for plain in [error as NSError, try #require((error as Any) as? NSError)] {
            #expect(plain.domain == SKErrorDomain && plain.code == 0)
            #expect(plain.userInfo[NSUnderlyingErrorKey] as? NSError == below)
            let back = try #require((plain as any Error) as? SKError)
            #expect(back.userInfo[NSUnderlyingErrorKey] as? NSError == below)
        }
    }

    @Test func `Errors are equal when code and information are`() {
        #expect(SKError(.unknown) == SKError(.unknown))
        #expect(SKError(.unknown) != SKError(.paymentInvalid))
        #expect(SKError(.unknown, userInfo: ["a": 1]) != SKError(.unknown))
        #expect(SKError(.unknown, userInfo: ["a": 1]) == SKError(.unknown, userInfo: ["a": 1]))
    }

    @Test func `An error survives the way through NSError`() {
        let error = SKError(.invalidSignature, userInfo: ["a": 1])
        #expect(SKError(_nsError: error as NSError) == error)
    }

    @Test func `Errors can be put into sets`() {
        #expect(Set([SKError(.unknown), SKError(.unknown), SKError(.clientInvalid)]).count == 2)
        #expect(SKError(.unknown).hashValue == SKError(.unknown).hashValue)
        #expect(Set([AnyHashable(SKError(.unknown)), AnyHashable(SKError(.unknown))]).count == 1)
    }

    @Test func `An error keeps a number without a case, and its code is unknown`() {
        let error = SKError(_nsError: NSError(domain: SKErrorDomain, code: 4711))
        #expect(error.code == .unknown)
        #expect(error.errorCode == 4711)
        #expect(error != SKError(error.code))
        #expect(error.localizedDescription.hasSuffix("(SKErrorDomain error 4711.)"))
    }

    @Test func `An error of another domain reads as unknown and loses nothing`() throws {
        let offline = URLError(.notConnectedToInternet, userInfo: [StoreFailure.reasonKey: "no route"]) as NSError
        let error = SKError(_nsError: offline)
        #expect(error.code == .unknown)
        #expect(error.errorCode == SKError.unknown.rawValue)
        #expect(error._nsError === offline)
        #expect(error.userInfo[StoreFailure.reasonKey] as? String == "no route")
        #expect(error.localizedDescription == offline.localizedDescription)
        #expect(error != SKError(.unknown))

        let stored = error as NSError
        #expect(stored.domain == SKErrorDomain)
        #expect(stored.code == SKError.unknown.rawValue)
        #expect(stored.localizedDescription == offline.localizedDescription)
        #expect(stored.userInfo[StoreFailure.reasonKey] as? String == "no route")
        #expect(stored.userInfo[NSUnderlyingErrorKey] as? NSError == offline)
    }

    @Test func `A foreign error whose number is one of Store Kit's is not taken for that`() {
        let error: any Error = SKError(_nsError: NSError(domain: NSCocoaErrorDomain, code: 2))
        #expect(!(SKError.paymentCancelled ~= error))
        #expect(SKError.unknown ~= error)
    }
}
