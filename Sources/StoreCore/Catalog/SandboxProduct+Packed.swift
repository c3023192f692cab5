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
        guard let price, let kind = Kind.allCases.firstIndex(of: kind), self == plain else {
            pack.add(0 as UInt8)
            return pack.add(json: self)
        }
        pack.add(UInt8(kind + 1))
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
        let form = Int(try pack.byte())
        if form == 0 {
            self = try pack.json(Self.self)
            return
        }
        guard Kind.allCases.indices.contains(form - 1) else { throw BinaryDecoder.Trouble() }
        self.init(
            identifier: try pack.text(),
            kind: Kind.allCases[form - 1],
            referenceName: try pack.text(),
            price: try ShortDecimal(unpacking: &pack).value,
            localizations: try pack.count().map { _ in
                Localization(locale: try pack.text(), title: try pack.text(), description: try pack.text())
            },
            isFamilyShareable: try Bool(unpacking: &pack)
        )
    }
}
