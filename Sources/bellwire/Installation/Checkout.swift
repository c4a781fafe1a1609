import Base
import System

/// A folder with the sources, in which deploy/run builds and starts the server.
struct Checkout {
    let path: String

    /// For key files that people make, and for the authority of the development certificate.
    var keys: String { path + "/Keys" }

    init(_ path: String) { self.path = path }

    /// The checkout in which this program was built; nil for an installed program.
    static var ofThisProgram: Checkout? {
        guard let program = ProgramFile.path, let build = program.place(of: "/.build/")
        else { return nil }
        let checkout = Checkout(String(program[..<build.lowerBound]))
        return FileStamp(of: checkout.keys + "/README.md") == nil ? nil : checkout
    }
}
