import Foundation

extension AppReceipt {
    /// Returns the encoded receipt for an app: DER, signed.
    ///
    /// Its length is a few hundred bytes, and as many again for each purchase. The same receipt gives the same bytes
    /// from a deterministic signer.
    ///
    /// An ``AppReceiptSigner`` seals the App Store's form: the attributes of its receipts, in the order of their bytes,
    /// which DER gives to a set. Set ``deviceHash`` with ``hash(forDevice:signer:)`` before. With any other signer the
    /// purchases come first, in their order, and then the parts that change with each receipt.
    ///
    /// - Throws: ``ReceiptError`` for a date outside the years 1 to 9999, a web order line item that is not a number, a
    ///   signature that is not as long as the signer promised, and a signer that has a certificate but is no
    ///   ``AppReceiptSigner``; and the signer's errors.
    public func data(signedBy signer: any ReceiptSigner) throws -> Data {
        try image(behind: ReceiptEntries(signer: signer), signedBy: signer).data
    }

    /// Returns the receipt with other purchases before its own.
    ///
    /// It costs as much as its own purchases, where the signer can continue from what it has read.
    func image(behind entries: ReceiptEntries, signedBy signer: any ReceiptSigner) throws -> ReceiptImage {
        if let signer = signer as? any AppReceiptSigner {
            let payload = try sealedPayload(behind: entries, for: signer)
            return ReceiptImage(try signer.seal(payload))
        }
        guard signer.certificate.isEmpty else {
            throw ReceiptError("Only an AppReceiptSigner signs an app receipt with a certificate.")
        }
        let rest = try Array(purchases.map(Self.entry(for:)).joined()) + particulars(environment: signer.environment)
        let signature = try entries.signature(with: rest, by: signer)
        guard signature.count == signer.signatureLength else {
            throw ReceiptError("The signer made \(signature.count) bytes, but promises \(signer.signatureLength).")
        }
        let back = SignedPayload.back(signature)
        let front = SignedPayload.front(attributes: entries.byteCount + rest.count, back: back.count)
        return ReceiptImage(front: front, entries: entries, back: rest + back)
    }

    /// Returns a purchase's attribute, encoded.
    static func entry(for purchase: Purchase) throws -> [UInt8] { attribute(.purchase, try Self.purchase(purchase)) }

    /// Returns all attributes but the purchases.
    private func particulars(environment: String) throws -> [UInt8] {
        var attributes: [[UInt8]] = [
            Self.attribute(.environment, DER.utf8(Self.environment(environment, isVolumePurchase: isVolumePurchase))),
            Self.attribute(.bundleIdentifier, DER.utf8(bundleIdentifier)),
            Self.attribute(.bundleVersion, DER.utf8(bundleVersion)),
            Self.attribute(.opaqueValue, [UInt8](opaqueValue), version: 2),
            Self.attribute(.deviceHash, [UInt8](deviceHash)),
            Self.attribute(.creationDate, try Self.date(creationDate)),
            Self.attribute(.originalPurchaseDate, try Self.date(originalPurchaseDate)),
            Self.attribute(.originalBundleVersion, DER.utf8(originalBundleVersion)),
        ]
        if let appAppleIdentifier {
            attributes.append(Self.attribute(.appAppleIdentifier, DER.integer(appAppleIdentifier)))
        }
        if let expirationDate { attributes.append(Self.attribute(.expirationDate, try Self.date(expirationDate))) }
        if let revocationDate { attributes.append(Self.attribute(.revocationDate, try Self.date(revocationDate))) }
        return DER.sorted(attributes)
    }

    private static func purchase(_ purchase: Purchase) throws -> [UInt8] {
        let subscription = purchase.subscription
        var attributes: [[UInt8]] = [
            attribute(.quantity, DER.integer(Int64(purchase.quantity))),
            attribute(.productIdentifier, DER.utf8(purchase.productIdentifier)),
            attribute(.transactionIdentifier, DER.utf8(purchase.transactionIdentifier)),
            attribute(.purchaseDate, try date(purchase.purchaseDate)),
            attribute(.originalTransactionIdentifier, DER.utf8(purchase.originalTransactionIdentifier)),
            attribute(.firstPurchaseDate, try date(purchase.originalPurchaseDate)),
            attribute(.kind, DER.integer(number(of: purchase.kind))),
            attribute(.subscriptionEnd, try subscription.map { try date($0.expirationDate) } ?? DER.ia5("")),
        ]
        if let date = purchase.cancellationDate { attributes.append(attribute(.cancellationDate, try Self.date(date))) }
        if let subscription {
            attributes.append(attribute(.isTrialPeriod, DER.integer(subscription.isTrialPeriod ? 1 : 0)))
            let isIntroductory = subscription.isInIntroductoryOfferPeriod
            attributes.append(attribute(.isInIntroductoryOfferPeriod, DER.integer(isIntroductory ? 1 : 0)))
            if let identifier = subscription.promotionalOfferIdentifier {
                attributes.append(attribute(.promotionalOfferIdentifier, DER.utf8(identifier)))
            }
            if let identifier = subscription.webOrderLineItemIdentifier {
                let number = DER.integer(try webOrderLineItem(identifier))
                attributes.append(attribute(.webOrderLineItemIdentifier, number))
            }
        }
        return DER.setOf(attributes)
    }

    private static func attribute(_ type: Attribute, _ value: [UInt8], version: Int64 = 1) -> [UInt8] {
        DER.sequence(DER.integer(type.rawValue), DER.integer(version), DER.element(.octetString, value))
    }

    private static func date(_ date: Date) throws -> [UInt8] { DER.ia5(try ReceiptDate(date).internet) }
}

extension AppReceipt {
    /// The choice of a receipt's attributes, which depends on its signer.
    enum Form {
        /// The form of signers that seal nothing: each attribute has one encoding, and none is there for nothing.
        case hmac
        /// The App Store's.
        case appStore
        /// Xcode's.
        case xcode

        init(_ signer: any ReceiptSigner) {
            self =
                switch (signer as? any AppReceiptSigner)?.appReceiptEnvironment {
                case nil: .hmac
                case ReceiptEnvelope.xcode: .xcode
                default: .appStore
                }
        }
    }

    /// The attributes by their numbers, those of a purchase from 1701 on.
    enum Attribute: Int64 {
        case environment = 0
        case appAppleIdentifier = 1
        case bundleIdentifier = 2
        case bundleVersion = 3
        case opaqueValue = 4
        case deviceHash = 5
        case creationDate = 12
        case purchase = 17
        case originalPurchaseDate = 18
        case originalBundleVersion = 19
        case expirationDate = 21
        case revocationDate = 3001

        case quantity = 1701
        case productIdentifier = 1702
        case transactionIdentifier = 1703
        case purchaseDate = 1704
        case originalTransactionIdentifier = 1705
        case firstPurchaseDate = 1706
        case kind = 1707
        case subscriptionEnd = 1708
        case webOrderLineItemIdentifier = 1711
        case cancellationDate = 1712
        case isTrialPeriod = 1713
        case isInIntroductoryOfferPeriod = 1719
        case promotionalOfferIdentifier = 1721
    }

    /// Returns an environment's name in receipts of volume-purchased apps: `ProductionVPP`, `ProductionVPPSandbox`.
    static func environment(_ name: String, isVolumePurchase: Bool) -> String {
        guard isVolumePurchase else { return name }
        return name == "ProductionSandbox" ? "ProductionVPPSandbox" : name + "VPP"
    }

    /// Returns the number of a product's kind; the App Store's are 0 to 3.
    static func number(of kind: SandboxProduct.Kind) -> Int64 {
        switch kind {
        case .nonConsumable: 0
        case .consumable: 1
        case .nonRenewing: 2
        case .autoRenewable: 3
        case .freeSubscription: 4
        }
    }

    /// Returns the kind of a number, nil for an unknown number.
    static func kind(_ number: Int64) -> SandboxProduct.Kind? {
        SandboxProduct.Kind.allCases.first { Self.number(of: $0) == number }
    }
}
