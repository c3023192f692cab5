/// The headers of a request, as they arrived, and whether they say without doubt where its body ends.
///
/// A proxy in front that reads them otherwise would take the end of one client's request for the beginning of another's.
struct HTTPHeaders {
    /// The values by the names in lowercase; of several with the same name, the last.
    private(set) var values: [String: String] = [:]
    /// The bytes of all, and what libmicrohttpd keeps of each.
    private(set) var size = 0
    private var repeated: Set<String> = []
    private var hasMalformedName = false

    /// Adds a header: untrusted input, of any content.
    mutating func add(_ name: String, _ value: String) {
        size += name.utf8.count + value.utf8.count + 64
        let name = name.lowercased()
        // Before the colon no space may stand: some drop it, others have a header of another name.
        if name.isEmpty || name.utf8.contains(where: { $0 <= UInt8(ascii: " ") }) { hasMalformedName = true }
        if values.updateValue(value, forKey: name) != nil { repeated.insert(name) }
    }

    /// The length of the body that they announce; nil for none, and for no number.
    var contentLength: UInt64? { values["content-length"].flatMap { UInt64($0) } }

    /// Whether they are those of one request, to one host, with one end, in a version of HTTP.
    func areSound(in version: String) -> Bool {
        guard !hasMalformedName, repeated.isDisjoint(with: ["content-length", "transfer-encoding", "host"])
        else { return false }
        guard let encoding = values["transfer-encoding"] else {
            return values["content-length"].map { text in
                !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            } ?? true
        }
        return encoding.lowercased() == "chunked" && values["content-length"] == nil && version == "HTTP/1.1"
    }
}
