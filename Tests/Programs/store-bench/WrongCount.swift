/// A program that did not do the work it was timed for.
struct WrongCount: Error, CustomStringConvertible {
    let description: String

    /// Throws unless everything was done, so that no figure is fast by leaving work out.
    static func check(_ done: Int, of count: Int, _ what: String) throws {
        guard done != count else { return }
        throw WrongCount(description: "\(done) of \(count) \(what)")
    }

    private init(description: String) {
        self.description = description
    }
}
