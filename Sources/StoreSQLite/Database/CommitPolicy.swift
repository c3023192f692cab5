/// The settings that decide what a commit waits for.
struct CommitPolicy {
    let pragmas: String
    /// The number of frames in the log from which on a commit checkpoints it into the file.
    let checkpointInterval: Int

    /// Waits for the disk.
    ///
    /// A growing log makes each wait longer than one that is overwritten; so it is kept short.
    static let full = CommitPolicy(pragmas: "PRAGMA synchronous = FULL;", checkpointInterval: 128)
    /// Waits for the system only.
    static let normal = CommitPolicy(pragmas: "PRAGMA synchronous = NORMAL;", checkpointInterval: 1000)
}
