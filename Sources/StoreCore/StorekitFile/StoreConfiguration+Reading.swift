import Foundation

extension StoreConfiguration {
    /// Reads a file.
    ///
    /// - Parameter url: the file's location on disk. Reading blocks the calling thread.
    /// - Throws: a ``StoreConfigurationError`` if it cannot be read or is invalid.
    public init(contentsOf url: URL) throws(StoreConfigurationError) {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw StoreConfigurationError(
                file: url.path,
                path: "",
                expected: "a file that can be read",
                found: Self.trouble(error)
            )
        }
        try self.init(data: data, name: url.path)
    }

    /// Reads the content of a file.
    ///
    /// - Parameters:
    ///   - data: the whole content.
    ///   - name: the file's name in errors.
    /// - Throws: a ``StoreConfigurationError`` if it is invalid.
    public init(data: Data, name: String) throws(StoreConfigurationError) {
        let file: StorekitFile
        do {
            file = try UntrustedJSON.decode(StorekitFile.self, from: data)
        } catch {
            throw StorekitFileDiagnosis(file: name, data: data).explain(error)
        }
        self = try StorekitFileReader(file: name).read(
            file,
            keyWarnings: LateWarnings { StorekitFileKeys.unknown(in: data, of: name) }
        )
    }

    /// Returns the reason why the system could not read a file, in a few words.
    private static func trouble(_ error: any Error) -> String {
        let error = error as NSError
        if error.code == CocoaError.Code.fileReadNoSuchFile.rawValue { return "no such file" }
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.localizedDescription
    }
}
