extension SandboxProduct: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let price = ShortDecimal(price)
        let plain = SandboxProduct(
            identifier: identifier,
            kind: kind,
            referenceName: referenceName,
            price: self.price,
            localizations: localizations,
            isFamilyShareable: isFamilyShareable
        )
        guard let price, self == plain else {
            pack.add(Form.json.rawValue)
            return pack.add(json: self)
        }
        pack.add(Form(kind).rawValue)
        pack.add(identifier)
        pack.add(referenceName)
        price.pack(into: &pack)
        pack.add(localizations.count)
        for texts in localizations {
            pack.add(texts.locale)
            pack.add(texts.title)
            pack.add(texts.description)
        }
        isFamilyShareable.pack(into: &pack)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        guard let form = Form(rawValue: try pack.byte()) else { throw BinaryDecoder.Trouble() }
        guard let kind = form.kind else {
            self = try pack.json(Self.self)
            return
        }
        self.init(
            identifier: try pack.text(),
            kind: kind,
            referenceName: try pack.text(),
            price: try ShortDecimal(unpacking: &pack).value,
            localizations: []
        )
        // One by one: a damaged count must not reserve memory for as many.
        for _ in try pack.count() {
            let locale = try pack.text()
            localizations.append(
                Localization(locale: locale, title: try pack.text(), description: try pack.text())
            )
        }
        isFamilyShareable = try Bool(unpacking: &pack)
    }
}

extension SandboxProduct {
    /// The first byte of a packed product, which does not change.
    private enum Form: UInt8 {
        /// A product with something that few have.
        case json = 0
        case consumable = 1
        case nonConsumable = 2
        case autoRenewable = 3
        case nonRenewing = 4
        case freeSubscription = 5

        init(_ kind: Kind) {
            self =
                switch kind {
                case .consumable: .consumable
                case .nonConsumable: .nonConsumable
                case .autoRenewable: .autoRenewable
                case .nonRenewing: .nonRenewing
                case .freeSubscription: .freeSubscription
                }
        }

        /// The kind of a plain product, nil for JSON.
        var kind: Kind? {
            switch self {
            case .json: nil
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .autoRenewable: .autoRenewable
            case .nonRenewing: .nonRenewing
            case .freeSubscription: .freeSubscription
            }
        }
    }
}
