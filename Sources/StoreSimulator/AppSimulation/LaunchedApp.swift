/// An app that was launched, of a type that only its simulation knows.
class LaunchedApp {
    /// A call of the app's code.
    typealias Call<Answer> = nonisolated(nonsending) @Sendable (LaunchedApp) async -> Answer

    /// The app of a type.
    final class Box<App>: LaunchedApp {
        fileprivate let app: App

        init(_ app: App) { self.app = app }
    }

    /// Returns a question to an app of a type.
    ///
    /// Each app that is called must be of this type, which is not checked.
    static func question<App, Answer>(_ question: @escaping @Sendable (App) async -> Answer) -> Call<Answer> {
        { launched in
            nonisolated(unsafe) let app = unsafeDowncast(launched, to: Box<App>.self).app  // A life uses one thread.
            return await question(app)
        }
    }

    /// Returns an action of a user in an app of a type, as ``question(_:)`` does; its error is ignored.
    static func action<App>(_ action: @escaping @Sendable (App) async throws -> Void) -> Call<Void> {
        { launched in
            nonisolated(unsafe) let app = unsafeDowncast(launched, to: Box<App>.self).app  // A life uses one thread.
            try? await action(app)
        }
    }
}
