import Foundation
import ModelSimulator
import StoreCore
import Testing

/// Operations of a store's operator: a store that ignores one is found.
@Suite struct OperatorTests {
    @Test func `A store that asks nobody about what a child orders is found`() throws {
        try expectMatters([.askToBuy(account: 0, on: true), .add(device: 0, product: .sword, quantity: 1)]) {
            InterferingBackend($0, interfere: { try? $0.account?.setAsksToBuy(false) })
        }
    }

    @Test func `A forced failure that nobody hears of is found`() throws {
        try expectMatters([.failPurchases(true), .add(device: 0, product: .sword, quantity: 1)]) {
            InterferingBackend($0, hidesTransactions: { $0.state == .failed })
        }
    }

    @Test func `A store that lets an interrupted purchase through is found`() throws {
        try expectMatters([.interruptPurchases(account: 0, on: true), .add(device: 0, product: .sword, quantity: 1)]) {
            InterferingBackend($0, interfere: { try? $0.account?.setInterruptsPurchases(false) })
        }
    }

    @Test func `A store that tells nobody of an interrupted purchase that goes through is found`() throws {
        try expectMatters([
            .interruptPurchases(account: 0, on: true), .add(device: 0, product: .sword, quantity: 1),
            .resolveIssue(index: 0),
        ]) {
            InterferingBackend($0, hidesTransactions: { $0.state == .purchased })
        }
    }

    @Test func `A store that tells nobody of what was bought elsewhere is found`() throws {
        try expectMatters([.buy(account: 0, product: .sword, quantity: 2)]) {
            InterferingBackend($0, hidesTransactions: { $0.order == nil })
        }
    }

    @Test func `A store that offers no app what was begun on its page is found`() throws {
        try expectMatters([.promote(device: 0, product: .sword, isTaken: true)]) {
            InterferingBackend($0, hides: { if case .promoted = $0 { true } else { false } })
        }
    }

    @Test func `A store that is never told what an app was offered, and offers it to each launch, is found`() throws {
        try expectMatters([.promote(device: 0, product: .sword, isTaken: false), .addKept(device: 0)]) {
            InterferingBackend($0, acknowledges: false)
        }
    }

    @Test func `A store that lets a purchase go on in a new country against its app's word is found`() throws {
        try expectMatters([.add(device: 0, product: .gift, quantity: 1), .setStorefront(.germany, continues: false)]) {
            InterferingBackend($0, continues: true)
        }
    }

    @Test func `A store that renews what cannot be paid for is found`() throws {
        try expectMatters([
            .add(device: 0, product: .gold, quantity: 1), .failBilling(account: 0, on: true),
            .add(device: 0, product: .sword, quantity: 1), .advance(days: 31),
        ]) { InterferingBackend($0, interfere: { try? $0.account?.setBillingFails(false) }) }
    }

    @Test func `A store that forgets that billing failed is found`() throws {
        try expectMatters([
            .add(device: 0, product: .gold, quantity: 1), .failBilling(account: 0, on: true),
            .grantGracePeriod(true), .advance(days: 31), .add(device: 0, product: .sword, quantity: 1),
            .advance(days: 31), .resolveBilling(account: 0),
        ]) {
            InterferingBackend($0, interfere: { try? $0.account?.resolveBillingIssue(inGroup: "club") })
        }
    }

    @Test func `A trial that was over before the renewal was paid for has been had, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 0, product: .gold, quantity: 1), .add(device: 0, product: .basic, quantity: 1),
            .failBilling(account: 0, on: true), .grantGracePeriod(true), .advance(days: 31), .advance(days: 7),
            .advance(days: 1), .failBilling(account: 0, on: false), .resolveBilling(account: 0), .advance(days: 31),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `A refund in billing retry ends the subscription without a word, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 0, product: .gold, quantity: 1), .failBilling(account: 0, on: true), .advance(days: 31),
            .refund(index: 0), .failBilling(account: 0, on: false), .resolveBilling(account: 0), .advance(days: 31),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `A store that takes no answer for a yes to a higher price is found`() throws {
        try expectMatters([
            .add(device: 0, product: .gold, quantity: 1), .askForConsent(account: 0),
            .add(device: 0, product: .sword, quantity: 1), .advance(days: 31),
        ]) {
            InterferingBackend($0, interfere: { try? $0.account?.answerPriceConsent(.agree, inGroup: "club") })
        }
    }

    @Test func `A store that ends for another reason what has renewed as often as it may is found`() throws {
        try expectMatters([
            .add(device: 0, product: .gold, quantity: 1), .limitRenewals(to: 1), .advance(days: 31),
            .add(device: 0, product: .sword, quantity: 1), .advance(days: 31),
        ]) {
            InterferingBackend($0, interfere: { try? $0.account?.setAutoRenew(false, inGroup: "club") })
        }
    }

    @Test func `What is bought again renews as often again, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .limitRenewals(to: 1), .add(device: 0, product: .gold, quantity: 1), .advance(days: 31), .advance(days: 31),
            .add(device: 0, product: .gold, quantity: 1), .advance(days: 31), .limitRenewals(to: nil),
            .advance(days: 90), .limitRenewals(to: 0), .forceRenewal(account: 0),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `A store that takes no answer for a yes when it raises a price is found`() throws {
        try expectMatters([
            .add(device: 0, product: .gold, quantity: 1), .raisePrice(of: .gold, to: 1_299),
            .add(device: 0, product: .sword, quantity: 1), .advance(days: 31),
        ]) {
            InterferingBackend($0, interfere: { try? $0.account?.answerPriceConsent(.agree, inGroup: "club") })
        }
    }

    @Test func `A store that shows apps the old prices is found`() throws {
        try expectMatters([.raisePrice(of: .shield, to: 399)]) {
            InterferingBackend(
                $0,
                describe: { product in
                    guard product.identifier == "shield", let old = Decimal(string: "2.99") else { return product }
                    return StoreProduct(
                        identifier: product.identifier,
                        localizedTitle: product.localizedTitle,
                        localizedDescription: product.localizedDescription,
                        price: old,
                        priceLocaleIdentifier: product.priceLocaleIdentifier
                    )
                }
            )
        }
    }

    @Test func `Whoever declines a price goes on at the one that they had, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .add(device: 0, product: .gold, quantity: 1), .raisePrice(of: .gold, to: 1_299),
            .answerConsent(account: 0, agrees: false), .setAutoRenew(account: 0, on: true), .advance(days: 31),
            .raisePrice(of: .gold, to: 1_499), .answerConsent(account: 0, agrees: true), .advance(days: 31),
            .raisePrice(of: .gold, to: 1_599), .raisePrice(of: .gold, to: 1_199), .advance(days: 31),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `A store that tells nobody of a renewal by command is found`() throws {
        try expectMatters([.add(device: 0, product: .gold, quantity: 1), .forceRenewal(account: 0)]) {
            InterferingBackend($0, hidesTransactions: { $0.order == nil })
        }
    }

    @Test func `A store that tells nobody of a refund is found`() throws {
        try expectMatters([.add(device: 0, product: .game, quantity: 1), .refund(index: 0)]) {
            InterferingBackend($0, hides: { if case .revoked = $0 { true } else { false } })
        }
    }

    @Test func `A refund that one account of a device hears of does not stand for another's`() throws {
        try expectMatters([
            .signIn(device: 0, account: 1), .add(device: 0, product: .game, quantity: 1), .refund(index: 0),
            .signIn(device: 0, account: 0), .add(device: 0, product: .game, quantity: 1), .refund(index: 0),
        ]) { backend in
            InterferingBackend(
                backend,
                hides: {
                    guard case .revoked = $0, let device = backend as? SandboxDevice else { return false }
                    return device.name == "device" && device.account?.name == "account"
                }
            )
        }
    }

    @Test func `A store that tells a family nothing of what one of it buys is found`() throws {
        try expectMatters([
            .foundFamily(account: 0), .joinFamily(account: 1), .add(device: 0, product: .gold, quantity: 1),
        ]) {
            InterferingBackend($0, hidesTransactions: { $0.order == nil })
        }
    }

    @Test func `A store that tells nobody of what is not shared any more is found`() throws {
        try expectMatters([
            .add(device: 0, product: .game, quantity: 1), .foundFamily(account: 0), .joinFamily(account: 1),
            .leaveFamily(account: 1),
        ]) {
            InterferingBackend($0, hides: { if case .revoked = $0 { true } else { false } })
        }
    }

    @Test func `A store that goes on sharing what somebody keeps back is found`() throws {
        try expectMatters([
            .foundFamily(account: 1), .joinFamily(account: 0), .sharePurchases(account: 0, on: false),
            .add(device: 0, product: .game, quantity: 1),
        ]) {
            InterferingBackend($0, interfere: { try? $0.account?.setSharesPurchases(true) })
        }
    }

    @Test func `A store that takes every signature for a good one is found`() throws {
        try expectMatters([
            .add(device: 0, product: .basic, quantity: 1), .addOffer(device: 0, offer: .winter, signature: .forged),
        ]) { OfferForger($0) }
    }

    @Test func `A store that forgets an offer is found`() throws {
        try expectMatters([
            .add(device: 0, product: .basic, quantity: 1), .addOffer(device: 0, offer: .winter, signature: .sound),
        ]) { OfferForger($0, drops: true) }
    }

    @Test func `A store that does not show the sheet for codes is found`() throws {
        try expectMatters([.presentCodeSheet(device: 0, offer: .friends)]) {
            InterferingBackend($0, showsCodeSheet: false)
        }
    }

    @Test func `A store that takes codes that there are not is found`() throws {
        try expectMatters([
            .presentCodeSheet(device: 0, offer: nil), .presentCodeSheet(device: 0, offer: .ghost),
        ]) { InterferingBackend($0, showsCodeSheet: false) }
    }

    @Test func `A store that keeps a receipt back is found`() throws {
        try expectMatters([.add(device: 0, product: .game, quantity: 1)]) {
            InterferingBackend($0, keepsBack: { _ in true })
        }
    }

    @Test func `A store that keeps back the receipts of the first account only is found`() throws {
        let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))
        try expectMatters([.add(device: 0, product: .game, quantity: 1)]) {
            InterferingBackend(
                $0,
                keepsBack: { (try? AppReceipt(verifying: $0, signer: signer))?.purchases.isEmpty == false }
            )
        }
    }

    @Test func `A store that forgets in receipts that they are revoked is found`() throws {
        try expectMatters([.refreshReceipt(device: 0, kind: .revoked), .add(device: 0, product: .game, quantity: 1)]) {
            InterferingBackend($0, interfere: { $0.refreshReceipt(ReceiptProperties()) { _ in } })
        }
    }

    @Test func `A store that sends another file than it hosts is found`() throws {
        try expectMatters([
            .add(device: 0, product: .game, quantity: 1), .download(device: 0, action: .start, index: 0),
            .advance(days: 3),
        ]) { InterferingBackend($0, garbles: true) }
    }

    @Test func `A store that sends no file is found`() throws {
        try expectMatters([.add(device: 0, product: .game, quantity: 1)]) {
            InterferingBackend($0, refusesContent: true)
        }
    }

    @Test func `A store that goes on refusing a file after a planned failure is found`() throws {
        try expectMatters([
            .add(device: 0, product: .game, quantity: 1), .failDownload(device: 0),
            .download(device: 0, action: .start, index: 0),
        ]) { InterferingBackend($0, refusesContent: true) }
    }

    @Test func `The operator's operations are printed as they are pasted`() {
        let operations: [SimulatedOperation] = [
            .askToBuy(account: 0, on: true), .failPurchases(false), .interruptPurchases(account: 1, on: true),
            .resolveIssue(index: 2), .buy(account: 0, product: .sword, quantity: 2),
            .promote(device: 2, product: .game, isTaken: false), .addKept(device: 2),
            .setStorefront(.france, continues: false),
            .failBilling(account: 0, on: true), .grantGracePeriod(true), .resolveBilling(account: 0),
            .askForConsent(account: 1), .answerConsent(account: 1, agrees: false), .expire(account: 0),
            .forceRenewal(account: 1), .limitRenewals(to: 12), .limitRenewals(to: nil), .refund(index: 3),
            .raisePrice(of: .gold, to: 1_299), .presentCodeSheet(device: 1, offer: .friends),
            .presentCodeSheet(device: 1, offer: nil),
            .foundFamily(account: 0), .joinFamily(account: 1),
            .leaveFamily(account: 1), .sharePurchases(account: 0, on: false),
            .addOffer(device: 0, offer: .winter, signature: .late), .redeem(account: 0, offer: .friends),
            .winBack(account: 1, offer: .comeback), .refreshReceipt(device: 1, kind: .volume),
            .download(device: 0, action: .pause, index: 2), .failDownload(device: 1),
        ]
        #expect(
            operations.map(\.description) == [
                ".askToBuy(account: 0, on: true)", ".failPurchases(false)",
                ".interruptPurchases(account: 1, on: true)", ".resolveIssue(index: 2)",
                ".buy(account: 0, product: .sword, quantity: 2)",
                ".promote(device: 2, product: .game, isTaken: false)", ".addKept(device: 2)",
                ".setStorefront(.france, continues: false)",
                ".failBilling(account: 0, on: true)", ".grantGracePeriod(true)", ".resolveBilling(account: 0)",
                ".askForConsent(account: 1)", ".answerConsent(account: 1, agrees: false)", ".expire(account: 0)",
                ".forceRenewal(account: 1)", ".limitRenewals(to: 12)", ".limitRenewals(to: nil)", ".refund(index: 3)",
                ".raisePrice(of: .gold, to: 1299)", ".presentCodeSheet(device: 1, offer: .friends)",
                ".presentCodeSheet(device: 1, offer: nil)",
                ".foundFamily(account: 0)",
                ".joinFamily(account: 1)", ".leaveFamily(account: 1)", ".sharePurchases(account: 0, on: false)",
                ".addOffer(device: 0, offer: .winter, signature: .late)", ".redeem(account: 0, offer: .friends)",
                ".winBack(account: 1, offer: .comeback)", ".refreshReceipt(device: 1, kind: .volume)",
                ".download(device: 0, action: .pause, index: 2)", ".failDownload(device: 1)",
            ]
        )
    }
}
