/// Whether a product that is promoted in the store is shown on this device.
///
/// The list is complete: later versions add nothing to it.
@frozen
public enum SKProductStorePromotionVisibility: Int, Sendable {
    /// As the store has it.
    case `default` = 0
    /// Shown.
    case show = 1
    /// Not shown.
    case hide = 2
}
