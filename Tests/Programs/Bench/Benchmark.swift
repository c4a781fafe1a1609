import System

/// One load program: what `Bench NAME` runs.
struct Benchmark: Sendable {
    let name: String
    let summary: String
    /// Returns false if a bar was missed.
    let run: @Sendable (Options) throws -> Bool

    private static let all: [Benchmark] = [
        .crypto, .constantTime, .multiply, .engine, .push, .decryption, .rows, .fill,
        .registrations,
    ]

    /// Returns the exit code: 1 for a missed bar or a failure, 2 for an unknown benchmark.
    static func run(_ words: [String]) -> Int32 {
        guard let name = words.first, let benchmark = all.first(where: { $0.name == name }) else {
            let isAsked = ["--help", "-h", "help"].contains(words.first)
            if isAsked { print(overview) } else { StandardError.write(overview + "\n") }
            return isAsked ? 0 : 2
        }
        do {
            return try benchmark.run(try Options(words.dropFirst())) ? 0 : 1
        } catch let error as Options.Failure {
            StandardError.write("Bench: error: \(error.message)\n\(overview)\n")
            return 2
        } catch {
            StandardError.write("Bench: error: \(error)\n")
            return 1
        }
    }

    private static var overview: String {
        let rows = all.map { "  " + $0.name.padded(to: 16) + $0.summary }
        return "usage: Bench NAME [OPTIONS]\n\n" + rows.joined(separator: "\n")
    }
}
