import Foundation
import StoreCore
import StoreCrypto
import Testing

/// The attributes of app receipts in the App Store's form, which real receipts have.
@Suite(.libcrypto) struct AppReceiptFormTests {
    private let authority: CertificateAuthority
    private let signer: AppStoreSigner

    init() throws {
        authority = try CertificateAuthority(now: .start)
        signer = try AppStoreSigner(authority, clock: ManualClock(startingAt: .start))
    }

    private func attributes(_ receipt: AppReceipt) throws -> PayloadAttributes {
        let verifier = try PKCS7Verifier(root: authority.rootCertificate)
        return try PayloadAttributes(verifier.verify(receipt.data(signedBy: signer), asOf: .start))
    }

    private func purchase(
        _ kind: SandboxProduct.Kind,
        _ subscription: TransactionReceipt.Subscription? = nil
    ) -> AppReceipt.Purchase {
        AppReceipt.Purchase(
            productIdentifier: "product",
            transactionIdentifier: "70",
            purchaseDate: .start,
            kind: kind,
            subscription: subscription
        )
    }

    private func der(_ tag: UInt8, _ text: String) -> [UInt8] { [tag, UInt8(text.utf8.count)] + text.utf8 }

    @Test func `A receipt of a sandbox has the attributes of real ones, in the order of their bytes`() throws {
        let attributes = try attributes(.empty)
        #expect(attributes.types == [8, 20, 1, 11, 15, 16, 25, 3, 19, 4, 2, 0, 12, 18, 5] && attributes.areSorted)
        for attribute in attributes.attributes { #expect(attribute.version == (attribute.type == 4 ? 2 : 1)) }
        #expect(try attributes.value(0) == der(12, "ProductionSandbox"))
        for type in [1, 11, 15, 16] { #expect(try attributes.value(type) == [2, 1, 0]) }
        #expect(try attributes.value(2) == der(12, "com.example.app") && attributes.value(3) == der(12, "32"))
        #expect(try attributes.value(4) == [UInt8](repeating: 0xab, count: 16) && attributes.value(8) == [22, 0])
        #expect(try attributes.value(12) == der(22, "2025-06-01T00:00:00Z"))
        #expect(try attributes.value(18) == der(22, "2013-08-01T07:00:00Z") && attributes.value(19) == der(12, "1.0"))
        #expect(try attributes.value(20) == [12, 0] && attributes.value(25) == [2, 1, 3])
    }

    @Test(arguments: [
        (SandboxProduct.Kind.nonConsumable, UInt8(0)), (.consumable, 1), (.nonRenewing, 2), (.freeSubscription, 0),
    ])
    func `What does not renew has an empty end, no introductory price`(kind: SandboxProduct.Kind, tag: UInt8) throws {
        var receipt = AppReceipt.empty
        receipt.purchases = [purchase(kind)]
        let found = try #require(try attributes(receipt).purchases().first)
        let types = [
            1708, 1709, 1712, 1714, 1715, 1716, 1717, 1718, 1701, 1707, 1710, 1711, 1713, 1722, 1703, 1705, 1702, 1704,
            1706,
        ]
        #expect(found.types == types && found.areSorted && found.attributes.allSatisfy { $0.version == 1 })
        #expect(try found.value(1701) == [2, 1, 1] && found.value(1702) == der(12, "product"))
        #expect(try found.value(1703) == der(12, "70") && found.value(1704) == der(22, "2025-06-01T00:00:00Z"))
        #expect(try found.value(1705) == der(12, "70") && found.value(1706) == der(22, "2025-06-01T00:00:00Z"))
        #expect(try found.value(1707) == [2, 1, tag])
        for type in [1708, 1712] { #expect(try found.value(type) == [22, 0]) }
        for type in [1709, 1714, 1715, 1716, 1717, 1718] { #expect(try found.value(type) == [12, 0]) }
        for type in [1710, 1711, 1713, 1722] { #expect(try found.value(type) == [2, 1, 0]) }
    }

    @Test func `A subscription has its end, its line item and its offers, and a refund its date`() throws {
        var receipt = AppReceipt.empty
        var refunded = purchase(
            .autoRenewable,
            TransactionReceipt.Subscription(
                expirationDate: .start + 60,
                webOrderLineItemIdentifier: "1000000055017550",
                isTrialPeriod: true,
                isInIntroductoryOfferPeriod: true,
                promotionalOfferIdentifier: "winter"
            )
        )
        refunded.cancellationDate = .start + 30
        receipt.purchases = [refunded]
        let found = try #require(try attributes(receipt).purchases().first)
        #expect(try found.value(1707) == [2, 1, 3] && found.value(1708) == der(22, "2025-06-01T00:01:00Z"))
        #expect(try found.value(1711) == [2, 7, 0x03, 0x8d, 0x7e, 0xa8, 0x0e, 0x00, 0x4e])
        #expect(try found.value(1712) == der(22, "2025-06-01T00:00:30Z"))
        for type in [1713, 1719] { #expect(try found.value(type) == [2, 1, 1]) }
        #expect(try found.value(1721) == der(12, "winter") && found.areSorted)
        let read = try AppReceipt(verifying: receipt.data(signedBy: signer), signer: signer)
        #expect(read.purchases == receipt.purchases)
    }

    @Test func `A free subscription, for which there is no number, is read as a non-consumable`() throws {
        var receipt = AppReceipt.empty
        receipt.purchases = [purchase(.freeSubscription)]
        let read = try AppReceipt(verifying: receipt.data(signedBy: signer), signer: signer)
        #expect(read.purchases == [purchase(.nonConsumable)])
    }

    @Test func `The app's Apple ID is attribute 1`() throws {
        var receipt = AppReceipt.empty
        receipt.appAppleIdentifier = 0x1234_5678
        #expect(try attributes(receipt).value(1) == [2, 4, 0x12, 0x34, 0x56, 0x78] && attributes(receipt).areSorted)
        #expect(try AppReceipt(verifying: receipt.data(signedBy: signer), signer: signer) == receipt)
    }

    @Test func `Every date, number and length of text has the bytes that DER gives it`() throws {
        var receipt = AppReceipt.empty
        receipt.bundleVersion = String(repeating: "v", count: 300)
        receipt.expirationDate = .start + 90
        receipt.revocationDate = .start + 91
        receipt.purchases = [0, 127, 128, 255, 256, 32_767, 32_768, -1, -128, -129, .max, .min].map { number in
            var purchase = purchase(.consumable)
            purchase.quantity = number
            purchase.productIdentifier = String(repeating: "p", count: Int(number.magnitude % 200))
            purchase.transactionIdentifier = String(number)
            return purchase
        }
        let data = try receipt.data(signedBy: signer)
        let read = try AppReceipt(verifying: data, signer: signer)
        #expect(Set(read.purchases.map(\.quantity)) == Set(receipt.purchases.map(\.quantity)))
        #expect(read.bundleVersion == receipt.bundleVersion && read.expirationDate == receipt.expirationDate)
        #expect(read.revocationDate == receipt.revocationDate)
        let found = try attributes(receipt)
        #expect(found.areSorted)
        #expect(try found.value(21) == der(22, "2025-06-01T00:01:30Z") && found.purchases().allSatisfy(\.areSorted))
    }

    @Test func `Dates and line items that have no place are refused`() {
        var receipt = AppReceipt.empty
        receipt.creationDate = .distantFuture + 1e12
        #expect(throws: ReceiptError.self) { try receipt.data(signedBy: signer) }
        receipt = .empty
        receipt.purchases = [purchase(.autoRenewable, .init(expirationDate: .start, webOrderLineItemIdentifier: "one"))]
        #expect(throws: ReceiptError.self) { try receipt.data(signedBy: signer) }
    }

    // MARK: Xcode's form

    private func xcodeAttributes(_ receipt: AppReceipt) throws -> PayloadAttributes {
        let xcode = try AppStoreSigner(authority, clock: ManualClock(startingAt: .start), form: .xcode)
        let verifier = try PKCS7Verifier(root: #require(xcode.xcodeReceiptCertificate), form: .xcode)
        return try PayloadAttributes(verifier.verify(receipt.data(signedBy: xcode), asOf: .start))
    }

    @Test func `A17c: Xcode's receipt says neither when nor which version was bought, and expires in 4001`() throws {
        let attributes = try xcodeAttributes(.empty)
        #expect(attributes.types.sorted() == [0, 1, 2, 3, 4, 5, 8, 12, 21] && attributes.areSorted)
        #expect(try attributes.value(0) == der(12, "Xcode") && attributes.value(21) == der(22, "4001-01-01T00:00:00Z"))
        var receipt = AppReceipt.empty
        receipt.expirationDate = .start
        #expect(try xcodeAttributes(receipt).value(21) == der(22, "2025-06-01T00:00:00Z"))
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `A17c: Xcode's purchases have no original, no line item and no trial; a free week is an introductory price`(
        isTrial: Bool,
        isIntroductory: Bool
    ) throws {
        var receipt = AppReceipt.empty
        let week = TransactionReceipt.Subscription(
            expirationDate: .start + 7 * .day,
            webOrderLineItemIdentifier: "4",
            isTrialPeriod: isTrial,
            isInIntroductoryOfferPeriod: isIntroductory
        )
        receipt.purchases = [purchase(.autoRenewable, week)]
        let found = try #require(try xcodeAttributes(receipt).purchases().first)
        #expect(found.types.sorted() == [1701, 1702, 1703, 1704, 1708, 1719])
        #expect(try found.value(1719) == [2, 1, isTrial || isIntroductory ? 1 : 0])
        #expect(try found.value(1708) == der(22, "2025-06-08T00:00:00Z"))
        receipt.purchases = [purchase(.consumable)]
        #expect(try xcodeAttributes(receipt).purchases().map { $0.types.sorted() } == [[1701, 1702, 1703, 1704]])
        receipt.purchases[0].cancellationDate = .start
        #expect(try xcodeAttributes(receipt).purchases().first?.value(1712) == der(22, "2025-06-01T00:00:00Z"))
    }

    @Test func `A17c: A store that signs in Xcode's form lists its purchases in it`() throws {
        let shop = try SignedShop { try AppStoreSigner($0, clock: $1, form: .xcode) }
        try shop.store.account.buy("gold")
        let verifier = try PKCS7Verifier(root: #require(shop.signer.xcodeReceiptCertificate), form: .xcode)
        let payload = try verifier.verify(#require(shop.store.appReceipt), asOf: .start)
        let purchases = try PayloadAttributes(payload).purchases()
        #expect(purchases.map { $0.types.sorted() } == [[1701, 1702, 1703, 1704, 1708, 1719]])
    }

    // MARK: Reading

    @Test func `Attributes are read in any order, with unknown ones among them`() throws {
        var receipt = AppReceipt.empty
        receipt.purchases = [purchase(.consumable)]
        let attributes = try attributes(receipt).attributes
        let unknown = DER.sequence(DER.integer(4711), DER.integer(9), DER.element(.octetString, [1, 2, 3]))
        let payload = DER.element(.set, attributes.reversed().flatMap(\.bytes) + unknown)
        #expect(try AppReceipt(verifying: signer.seal(Data(payload)), signer: signer) == receipt)
    }

    @Test func `Xcode's payload is read, with zones in its dates and without what it leaves out`() throws {
        func attribute(_ type: Int64, _ value: [UInt8]) -> [UInt8] {
            DER.sequence(DER.integer(type), DER.integer(1), DER.element(.octetString, value))
        }
        let purchases = [("2", ""), ("3", "2025-06-08T00:00:00Z")].map { identifier, end in
            attribute(
                17,
                DER.element(
                    .set,
                    attribute(1701, [2, 1, 1]) + attribute(1702, der(12, "gold")) + attribute(1703, der(12, identifier))
                        + attribute(1704, der(22, "2025-06-01T01:00:00Z"))
                        + (end.isEmpty ? [] : attribute(1708, der(22, end)))
                )
            )
        }
        let payload = DER.element(
            .set,
            attribute(0, der(12, "Xcode")) + attribute(1, [2, 1, 0]) + attribute(2, der(12, "com.example.app"))
                + attribute(3, der(12, "1")) + attribute(4, [1, 2, 3, 4, 5, 6, 7, 8])
                + attribute(5, [UInt8](repeating: 7, count: 20)) + attribute(8, [22, 0])
                + attribute(12, der(22, "2025-06-01T08:00:00+0800")) + purchases[0] + purchases[1]
                + attribute(21, der(22, "4001-01-01T08:00:00+0800"))
        )
        let xcode = try AppStoreSigner(authority, clock: ManualClock(startingAt: .start), form: .xcode)
        let receipt = try AppReceipt(verifying: xcode.seal(Data(payload)), signer: xcode)
        #expect(receipt.creationDate == .start && receipt.opaqueValue.count == 8)
        #expect(receipt.expirationDate == Date(timeIntervalSince1970: 64_092_211_200))
        #expect(receipt.originalPurchaseDate == AppReceipt.testPurchaseDate && receipt.originalBundleVersion == "1.0")
        #expect(receipt.purchases.map(\.originalTransactionIdentifier) == ["2", "3"])
        let anHourLater = Date.start + 3600
        #expect(receipt.purchases.map(\.originalPurchaseDate) == [anHourLater, anHourLater])
        #expect(receipt.purchases.map(\.kind) == [.nonConsumable, .autoRenewable])
        let aWeekLater = Date.start + 7 * .day
        #expect(receipt.purchases.map(\.subscription?.expirationDate) == [nil, aWeekLater])
    }

    @Test func `What is signed but no app receipt is refused for it`() throws {
        let sound = try attributes(.empty).attributes
        let payloads: [[UInt8]] =
            [0, 2, 3, 4, 5].map { missing in
                DER.element(.set, sound.filter { $0.type != missing }.flatMap(\.bytes))
            } + [
                // Twice the same attribute, and one whose value is none.
                DER.element(.set, sound.flatMap(\.bytes) + sound.filter { $0.type == 2 }.flatMap(\.bytes)),
                DER.element(
                    .set,
                    sound.flatMap(\.bytes)
                        + DER.sequence(DER.integer(17), DER.integer(1), DER.element(.octetString, [1]))
                ),
            ]
        for payload in payloads {
            let refusal = #expect(throws: ReceiptRefusal.self) {
                try AppReceipt(verifying: signer.seal(Data(payload)), signer: signer)
            }
            #expect(refusal?.status == .malformed)
            #expect(refusal?.reason == "The store signed this, but it is not an app receipt.")
        }
        for payload in [Data(), Data("text".utf8), Data([0x31, 0x80, 0, 0])] {
            let refusal = #expect(throws: ReceiptRefusal.self) {
                try AppReceipt(verifying: signer.seal(payload), signer: signer)
            }
            #expect(refusal?.reason == VerificationFailure.noSigningDate.description)
        }
    }
}
