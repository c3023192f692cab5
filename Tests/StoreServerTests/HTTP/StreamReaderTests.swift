#if canImport(CMicroHTTPD)
    import StoreCore
    import Testing

    @testable import StoreServer

    @Suite struct StreamReaderTests {
        @Test func `A stream for whose response there is no memory has ended`() throws {
            let stream = HTTPStream()
            let releases = Locked(0)
            let connection = try #require(OpaquePointer(bitPattern: 1))
            let reader = StreamReader(stream, connection) { releases.withLock { $0 += 1 } }
            // Refused by libmicrohttpd, which says the same where it has no memory.
            #expect(reader.response(blockSize: 0) == nil)
            #expect(stream.isFinished)
            #expect(releases.withLock { $0 } == 1)
        }
    }
#endif
