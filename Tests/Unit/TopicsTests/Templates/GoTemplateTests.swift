import Base
import Foundation
import TestSupport
import Testing

@testable import Topics

/// What Go makes of a template.
struct TemplateVector: Decodable, Sendable, CustomTestStringConvertible {
    struct File: Decodable {
        let json: String
        let rows: [TemplateVector]
    }

    let template: String
    /// Nil for that of the file.
    var json: String?
    let text: String?
    /// `template`, `json` or `run`.
    let failure: String?

    var testDescription: String { template }

    static func all() throws -> [TemplateVector] {
        let file = try Vectors.load(File.self, from: "go-templates.json")
        return file.rows.map { row in
            var row = row
            row.json = row.json ?? file.json
            return row
        }
    }
}

@Suite("Templates of Go")
struct GoTemplateTests {
    /// The text, or the kind of the failure.
    static func result(_ template: String, _ json: String) -> (text: String?, failure: String?) {
        guard let value = TemplateValue(json: Array(json.utf8)) else { return (nil, "json") }
        var budget = TemplateBudget()
        do throws(TemplateFailure) {
            return (try TemplateRun.text(of: GoTemplate(template), over: value, &budget), nil)
        } catch .execution {
            return (nil, "run")
        } catch {
            return (nil, "template")
        }
    }

    @Test("A template gives what Go gives", arguments: try TemplateVector.all())
    func asGo(_ vector: TemplateVector) {
        let (text, failure) = Self.result(vector.template, vector.json ?? "")
        #expect(text == vector.text)
        #expect(failure == vector.failure)
    }
}
