/// The availability of libmicrohttpd in this module, and advice where it is missing.
public enum MicroHTTPD {
    /// Whether libmicrohttpd's header was there when this was built.
    ///
    /// Where it was not, opening a ``StoreServer`` throws ``StoreServerError/unavailable``. ``ServerNotifications`` needs
    /// no library.
    public static var isAvailable: Bool {
        #if canImport(CMicroHTTPD)
            true
        #else
            false
        #endif
    }

    /// The advice where ``isAvailable`` is false, in one line.
    public static let advice =
        "libmicrohttpd's header is missing: run `apt install libmicrohttpd-dev` and build again from scratch"
}
