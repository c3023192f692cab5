/// The visibility, on this device, of a product that the store promotes.
///
/// The list is complete: later versions add nothing to it.
@frozen
public enum SKProductStorePromotionVisibility: Int, Sendable {
    /// The store's own setting.
    case `default` = 0
    /// Shown.
    case show = 1
    /// Hidden.
    case hide = 2
}
