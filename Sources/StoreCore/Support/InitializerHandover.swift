import Foundation

/// Hands a value from a convenience initializer to the designated initializer that it calls.
///
/// A client's subclass inherits the convenience initializers of its superclass, and gets its `super.init()` implied, only
/// as long as the superclass has no designated initializers beside Store Kit's own. Those have no parameters for what is
/// ours, and may be overridden on the way.
package enum InitializerHandover {
    /// Leaves a value for the designated initializer of an object of a class, on this thread.
    package static func leave(_ value: any Sendable, for type: AnyClass) {
        CallScope.current.pointee.handovers.append((type, value))
    }

    /// Takes what was left for an object of a class, if anything was.
    package static func take<Value>(for type: AnyClass) -> Value? {
        let scope = CallScope.current
        guard let (owner, value) = scope.pointee.handovers.last, owner == type, let value = value as? Value else {
            return nil
        }
        scope.pointee.handovers.removeLast()
        return value
    }
}
