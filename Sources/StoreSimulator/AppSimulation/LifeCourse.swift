/// The steps of a life, and how far it has come.
final class LifeCourse {
    let steps: [AppStep]
    /// Tells where the life is, and throws if it is to end.
    let report: (RunMonitor.Place) throws -> Void
    /// The place of the present step.
    var index = 0
    /// The present step, nil when all were taken.
    var step: AppStep? { index < steps.count ? steps[index] : nil }
    /// The states that the present step met.
    var states = AppCoverage.States()

    init(steps: [AppStep], report: @escaping (RunMonitor.Place) throws -> Void) {
        self.steps = steps
        self.report = report
    }
}
