import Foundation

extension SandboxProduct {
    /// The content that a sandbox store hosts for a product: one or more files with a common version.
    public struct HostedContent: Hashable, Codable, Sendable {
        /// The version: integers separated by periods, as in `1.0`.
        package var version: String
        /// The files, at least one, with different identifiers.
        package var files: [File]

        /// Creates hosted content.
        package init(version: String = "1.0", files: [File]) {
            self.version = version
            self.files = files
        }

        /// One file, in memory or on disk.
        public struct File: Hashable, Codable, Sendable {
            /// The file's identifier within the product; nil stands for the product's identifier.
            package let identifier: String?
            /// The file's size in bytes.
            package let length: Int64
            private let source: Source

            private enum Source: Hashable, Codable { case bytes(Data), file(URL) }

            /// Creates a file from its bytes.
            ///
            /// - Parameters:
            ///   - bytes: the file's content.
            ///   - identifier: the hosted file's identifier; nil stands for the product's identifier.
            public init(_ bytes: Data, identifier: String? = nil) {
                self.identifier = identifier
                length = Int64(bytes.count)
                source = .bytes(bytes)
            }

            /// Creates a file from a file on disk, which must not change while it is hosted.
            ///
            /// - Parameters:
            ///   - url: the file's location.
            ///   - identifier: the hosted file's identifier; nil stands for the product's identifier.
            /// - Throws: the reason why the file's size cannot be read.
            public init(contentsOf url: URL, identifier: String? = nil) throws {
                self.identifier = identifier
                let values = try url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
                guard values.isRegularFile == true, let size = values.fileSize else {
                    throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: url.path])
                }
                length = Int64(size)
                source = .file(url)
            }
        }
    }

    /// Returns the product with one hosted file, whose identifier is the product's.
    ///
    /// - Parameters:
    ///   - bytes: the file's content.
    ///   - version: the version of the file: integers separated by periods. Any other text stops the process.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product.
    public func hosting(
        _ bytes: Data,
        version: String = "1.0",
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        hosting([HostedContent.File(bytes)], version: version, file: file, line: line)
    }

    /// Returns the product with hosted files.
    ///
    /// - Parameters:
    ///   - files: at least one file; at most one of them without an identifier of its own.
    ///   - version: the version of the files: integers separated by periods.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the product. If the files cannot be hosted, the process stops with a message;
    ///   ``SandboxProduct/makeThrowing(_:)`` throws an error instead.
    public func hosting(
        _ files: [HostedContent.File],
        version: String = "1.0",
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> SandboxProduct {
        var copy = self
        copy.hostedContent = HostedContent(version: version, files: files)
        copy.reportFault(file: file, line: line)
        return copy
    }
}

extension SandboxProduct.HostedContent {
    /// Returns the reason why the content cannot be hosted, as the end of a sentence about the product; nil if it can.
    func fault(for product: String) -> String? {
        if files.isEmpty { return "hosts content without a file" }
        let numbers = version.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }) else {
            return "hosts content of the version \"\(version)\": a version is integers separated by periods"
        }
        let identifiers = files.map { $0.identifier ?? product }
        if identifiers.contains("") { return "hosts a file with an empty identifier" }
        var seen: Set<ExactText> = []
        return identifiers.first { !seen.insert(ExactText($0)).inserted }.map {
            "hosts two files with the identifier \"\($0)\""
        }
    }

    /// Returns descriptions of the files, as in a transaction.
    func contents(of product: String) -> [StoreContent] {
        files.map { StoreContent(identifier: $0.identifier ?? product, version: version, length: $0.length) }
    }
}

extension SandboxProduct.HostedContent.File {
    /// Returns some of the file's bytes.
    ///
    /// - Throws: the error of the file system, or an error if the file has become shorter.
    func bytes(at offset: Int64, count: Int) throws -> Data {
        let bytes: Data
        let name: String
        switch source {
        case .bytes(let data):
            bytes = Data(data.dropFirst(Int(offset)).prefix(count))
            name = identifier ?? "in memory"
        case .file(let url):
            let handle = try FileHandle(forReadingFrom: url)
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(offset))
            bytes = try handle.read(upToCount: count) ?? Data()
            name = url.lastPathComponent
        }
        guard bytes.count == count else {
            throw StoreFailure.storeKit(.unknown, "the hosted file \(name) has become shorter")
        }
        return bytes
    }
}
