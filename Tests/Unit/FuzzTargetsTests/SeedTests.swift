import Foundation
import FuzzTargets
import TestSupport
import Testing

/// What the fuzzer starts from, and what it has found: each input goes once more to its parser.
@Suite("Seeds of the fuzzer")
struct SeedTests {
    private static let seeds = "Tests/Programs/Fuzz/Seeds"

    /// The files that the target of this name reads.
    private func inputs(of name: String, in folder: String) -> [URL] {
        let place = Vectors.checkout.appending(path: "\(folder)/\(name)")
        let found = try? FileManager.default.contentsOfDirectory(
            at: place, includingPropertiesForKeys: nil)
        return found ?? []
    }

    @Test("No input breaks its parser", arguments: FuzzTarget.all)
    func read(target: FuzzTarget) throws {
        let own = inputs(of: target.name, in: Self.seeds)
        let seeds = own.isEmpty && target.isDialect ? inputs(of: "plain", in: Self.seeds) : own
        #expect(!seeds.isEmpty)
        for input in seeds + inputs(of: target.name, in: "Tests/Vectors/regressions") {
            target.read(try Array(Data(contentsOf: input)))
        }
    }

    @Test("Every folder of seeds belongs to a target")
    func folders() {
        let names = inputs(of: "", in: Self.seeds).map(\.lastPathComponent)
        #expect(Set(names).isSubset(of: FuzzTarget.all.map(\.name)))
    }
}
