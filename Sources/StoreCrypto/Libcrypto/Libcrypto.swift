/// The availability of libcrypto in this module, and advice where it is missing.
public enum Libcrypto {
    /// Whether the headers of libcrypto 3 or newer were there when this was built.
    ///
    /// Where they were not, everything in this module that needs libcrypto throws ``CryptoError``.
    public static var isAvailable: Bool { Key.isAvailable }

    /// The advice where ``isAvailable`` is false, in one line.
    public static let advice =
        "libcrypto's headers are missing: run `apt install libssl-dev` and build again from scratch"
}
