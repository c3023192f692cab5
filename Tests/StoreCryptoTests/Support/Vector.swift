import Foundation

/// The key of RFC 6979, A.2.5, for P-256, and its signature with SHA-256 over the text "sample".
enum Vector {
    static let message = Data("sample".utf8)

    static let privatePEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
        Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
        +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        -----END PRIVATE KEY-----
        """
    static let olderPEM = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMmvqdhFunUWa1whV2ex1pNOUMPbNuibEnuKYisSD2choAoGCCqGSM49
        AwEHoUQDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8
        maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
        -----END EC PRIVATE KEY-----
        """
    static let publicPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7
        Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==
        -----END PUBLIC KEY-----
        """
    /// PKCS #8, as in a `.storekit` file.
    static let privateKey = base64(
        """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFXZ7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6\
        JVqdMclh63TGNW1owEm4kjth+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        """
    )
    static let publicKey = base64(
        """
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGy\
        DC1+n1F3o8KU1EYimQ==
        """
    )
    /// The published numbers r and s, in DER.
    static let signature = hex(
        """
        3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
        022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8
        """
    )
    /// A key on another curve, P-384.
    static let otherCurve = base64(
        """
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAaZSR/inaEKavb7X/SHIcKCCl0Xb4tpAnfESLrH+Q9X0CSMvAisEsHNMsv\
        gM5PMOyhZANiAATkNYd2BAxjkbB3f22IxZ/9YZYTeWcxhvdInoQxxCHh4CAQ+d+CZbLqQ76ulQrzbpKc6eoEhjT2dH5MHkBro/UcUWNN\
        tF+xLJ3FpdpoJQWEyJancvXiqgdh4IA6hOmsJpA=
        """
    )

    private static func base64(_ text: String) -> Data {
        guard let data = Data(base64Encoded: text) else { fatalError("that is no Base64") }
        return data
    }

    private static func hex(_ text: String) -> Data {
        let digits = text.compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        return Data(bytes.map { UInt8($0) })
    }
}

extension Date {
    /// 1 June 2025, in the night.
    static let start = Date(timeIntervalSince1970: 1_748_736_000)
}

extension TimeInterval {
    static let day = 86_400.0
    static let year = 365 * day
}
