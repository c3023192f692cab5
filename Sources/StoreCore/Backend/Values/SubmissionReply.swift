/// A store's reply to a submission.
///
/// It acknowledges only: outcomes come as updates.
public enum SubmissionReply: Hashable, Codable, Sendable {
    /// Every command of the submission is durably in the store, whatever its outcome there.
    case taken
    /// A temporary failure: some or all of the commands may not be in the store. The queue retries them, after a pause.
    case tryLater(StoreFailure)
}
