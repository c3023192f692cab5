#if !canImport(CMicroHTTPD)
    import StoreCore
    import StoreCrypto

    // A placeholder where there is no libmicrohttpd. None is ever created, as the property of type Never says.
    package struct HTTPServer: Sendable {
        private let never: Never

        package init(
            host: String = "127.0.0.1",
            port: UInt16 = 0,
            identity: ServerIdentity? = nil,
            limits: HTTPLimits = HTTPLimits(),
            clock: any StoreClock = SystemClock.shared,
            handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
        ) throws(StoreServerError) { throw .unavailable }

        package var port: UInt16 { switch never {} }
        package func stop() { switch never {} }
    }
#endif
