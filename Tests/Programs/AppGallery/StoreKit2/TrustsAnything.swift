import StoreKit
import StoreSimulator

extension Exhibit {
    static let trustsAnything = Exhibit(
        "Signatures are not looked at",
        complaint: "There is an app that gives you swords in our app.",
        faulty: TrustsAnything.self,
        mended: Shop2.self,
        rules: GalleryRules(verifiesSignatures: true)
    )
}

private final class TrustsAnything: Shop2 {
    override func take(_ result: VerificationResult<Transaction>) async {
        // The name says it: this payload may come from anybody.
        keep(result.unsafePayloadValue)
        await result.unsafePayloadValue.finish()
    }
}
