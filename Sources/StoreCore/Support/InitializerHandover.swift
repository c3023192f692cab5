import Foundation

/// A channel that passes a value from a convenience initializer to the designated initializer that it calls.
///
/// A client's subclass inherits its superclass's convenience initializers, and an implied `super.init()`, only while
/// the superclass has no designated initializers beside Store Kit's own. Those have no parameters for StoreCore's
/// values, and may be overridden on the way.
package enum InitializerHandover {
    /// Leaves a value for the designated initializer of an object of a class, on this thread.
    package static func leave(_ value: any Sendable, for type: AnyClass) {
        CallScope.current.pointee.handovers.append((type, value))
    }

    /// Takes the value that was left for an object of a class, if any.
    package static func take<Value>(for type: AnyClass) -> Value? {
        let scope = CallScope.current
        guard let (owner, value) = scope.pointee.handovers.last, owner == type, let value = value as? Value else {
            return nil
        }
        scope.pointee.handovers.removeLast()
        return value
    }
}
