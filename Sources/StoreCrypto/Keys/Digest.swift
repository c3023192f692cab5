/// A hash algorithm of signatures.
enum Digest: Hashable, Sendable {
    case sha1
    case sha256
    case sha384
}
