import Foundation
import StoreCore

extension Date {
    /// The end of the last year that certificates can name.
    static let endOfCertificates = Date(timeIntervalSince1970: 253_402_300_800)

    /// Returns the date as a Time of certificates: with two digits of the year until 2049, with four from then on.
    ///
    /// - Throws: a ``CryptoError`` outside the years 1950 to 9999.
    func der() throws(CryptoError) -> [UInt8] {
        let (year1950, year2050) = (-631_152_000.0, 2_524_608_000.0)
        guard timeIntervalSince1970 >= year1950, self < .endOfCertificates else {
            throw CryptoError("a certificate's dates must be in the years 1950 to 9999")
        }
        let digits =
            formatted(.iso8601).utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } + [
                UInt8(ascii: "Z")
            ]
        return timeIntervalSince1970 < year2050
            ? DER.element(.utcTime, digits.dropFirst(2)) : DER.element(.generalizedTime, digits)
    }
}
