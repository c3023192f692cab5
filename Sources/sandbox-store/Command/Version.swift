/// The version of the tool, which a release changes here and nowhere else.
enum Version {
    static let number = "1.0.0-dev"
}
