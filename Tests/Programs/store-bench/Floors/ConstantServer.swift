#if canImport(CMicroHTTPD) && canImport(CLibcrypto)
    import Foundation
    import StoreServer

    /// The same HTTP server, which answers everything with the same bytes.
    struct ConstantServer {
        private let server: HTTPServer

        init(answering body: [UInt8]) throws {
            let answer = HTTPResponse(json: Data(body))
            server = try HTTPServer { _ in answer }
        }

        var port: Int { Int(server.port) }
    }
#endif
