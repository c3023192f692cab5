import Foundation

/// The dimensions of a PNG image, and whether it may have transparent pixels.
struct PNGHeader: Hashable {
    /// The width in pixels.
    let width: Int
    /// The height in pixels.
    let height: Int
    /// Whether the image has an alpha channel or transparent colors, even if no pixel uses them.
    let hasTransparency: Bool

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Reads the chunks before the pixels; nil for data that is not a PNG image.
    init?(_ data: Data) {
        let bytes = [UInt8](data)
        guard bytes.starts(with: Self.signature) else { return nil }
        func number(at place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var header: (width: Int, height: Int, color: UInt8)?
        var hasTransparentColor = false
        var place = Self.signature.count
        // Length, type, content and checksum.
        while place + 12 <= bytes.count {
            let length = number(at: place)
            guard length <= bytes.count - place - 12 else { return nil }
            switch (String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), header) {
            case ("IHDR", nil) where length == 13:
                header = (number(at: place + 8), number(at: place + 12), bytes[place + 17])
            case (_, nil): return nil
            case ("tRNS", _): hasTransparentColor = true
            case ("IDAT", let header?):
                (width, height) = (header.width, header.height)
                // Color types 4 and 6 are gray and color with an alpha channel.
                hasTransparency = hasTransparentColor || header.color == 4 || header.color == 6
                return
            default: break
            }
            place += 12 + length
        }
        return nil
    }
}
