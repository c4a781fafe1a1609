import Base
import Glibc
import Models

/// Plays all models, or those that are named, and prints a table, and with `--json` the same as
/// JSON in a last line.
@main
enum ModelRuns {
    private struct Options {
        var events = 1_000_000
        var length = 6
        var seed: UInt64 = 1
        var patience = 300
        var printsJSON = false
        var names: [String] = []

        init?(_ words: some Sequence<String>) {
            var words = Array(words)[...]
            while let word = words.popFirst() {
                func number() -> Int? { words.popFirst().flatMap { Int($0) } }
                switch word {
                case "--json": printsJSON = true
                case "--events", "--sequence", "--seed", "--patience":
                    guard let value = number(), value >= 0 else { return nil }
                    switch word {
                    case "--events": events = value
                    case "--sequence": length = min(value, 8)
                    case "--seed": seed = UInt64(value)
                    default: patience = value
                    }
                default:
                    guard AllPlays.names.contains(word) else { return nil }
                    names.append(word)
                }
            }
            if names.isEmpty { names = AllPlays.names }
        }
    }

    static func main() {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print("the models are: \(AllPlays.names.joined(separator: " "))")
            exit(2)
        }
        print(line(["model", "events", "sequences", "states", "seconds", "findings"]))
        fflush(nil)
        var reports: [PlayReport] = []
        for name in options.names {
            guard
                let report = AllPlays.report(
                    name, events: options.events, sequenceLength: options.length,
                    seed: options.seed, patience: .seconds(options.patience))
            else { continue }
            reports.append(report)
            show(report)
            fflush(nil)
        }
        if options.printsJSON { print(json(reports, options)) }
        if reports.contains(where: { $0.finding != nil }) { exit(1) }
    }

    private static func line(_ words: [String]) -> String {
        words.enumerated().map { index, word in
            let blanks = String(repeating: " ", count: max(0, 12 - word.count))
            return index == 0 ? word + blanks : blanks + word
        }.joined()
    }

    private static func show(_ report: PlayReport) {
        let tenths = Int(report.seconds * 10)
        print(
            line([
                report.name, "\(report.events)", "\(report.sequences)", "\(report.states)",
                "\(tenths / 10).\(tenths % 10)", report.finding == nil ? "0" : "1",
            ]))
        if report.wasCut { print("  the time was over before everything was played") }
        guard let finding = report.finding else { return }
        print("  \(finding.text)")
        print("  seed: \(finding.seed.map(String.init) ?? "none, it is one of all sequences")")
        for event in finding.events { print("  - \(event)") }
    }

    private static func json(_ reports: [PlayReport], _ options: Options) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("seed", Int(options.seed))
            writer.member("sequence_length", options.length)
            writer.name("models")
            writer.array { writer in
                for report in reports { write(report, to: &writer) }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ report: PlayReport, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("model", report.name)
            writer.member("events", report.events)
            writer.member("sequences", report.sequences)
            writer.member("states", report.states)
            writer.member("milliseconds", Int(report.seconds * 1_000))
            writer.member("complete", !report.wasCut)
            writer.member("findings", report.finding == nil ? 0 : 1)
            if let finding = report.finding { writer.member("finding", finding.text) }
        }
    }
}
