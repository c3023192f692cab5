import Foundation
import Testing

@testable import StoreCore

@Suite struct ShortDecimalTests {
    @Test(
        arguments: [
            "0", "0.99", "-1", "1980", "9223372036854775807", "-9223372036854775807", "0.00000000000000000001",
        ]
    )
    func `A number of few digits is two integers, and the same again`(text: String) throws {
        let number = try #require(Decimal(string: text))
        let short = try #require(ShortDecimal(number))
        var pack = BinaryEncoder()
        short.pack(into: &pack)
        var unpacking = BinaryDecoder(pack.data)
        #expect(try ShortDecimal(unpacking: &unpacking).value == number)
    }

    @Test(arguments: [128, -129, Int.max, .min]) func `An exponent that no number has is damage`(exponent: Int) {
        var pack = BinaryEncoder()
        pack.add(1)
        pack.add(exponent)
        var unpacking = BinaryDecoder(pack.data)
        #expect(throws: BinaryDecoder.Trouble.self) { try ShortDecimal(unpacking: &unpacking) }
    }

    @Test(
        arguments: [
            "9223372036854775808", "-9223372036854775808", "123456789012345678901234567890123456789", "nan",
        ]
    )
    func `A number of more digits has no short form`(text: String) throws {
        #expect(ShortDecimal(try #require(text == "nan" ? .nan : Decimal(string: text))) == nil)
    }
}
