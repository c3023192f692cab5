/// The version of this software.
package enum SoftwareVersion {
    /// The version in the form of semantic versioning, which a release changes here and nowhere else.
    ///
    /// The form of the control interface and the protocol of devices have versions of their own.
    package static let text = "1.0.0"
}
