/// Which version this is.
enum ProgramVersion {
    static let text = "0.1.0"
}
