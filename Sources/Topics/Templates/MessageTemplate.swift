import Base
import Notifications

/// What makes a message of a body of JSON: templates that came with the request, or the reader of a
/// service.
package struct MessageTemplate: Sendable, Confidential {
    /// The most bytes of a body.
    package static let bodyLimit = 131_072
    /// The most bytes of a title and of a text.
    private static let textLimit = 4_096

    private enum Source {
        case inline(message: GoTemplate, title: GoTemplate, priority: GoTemplate)
        case service(KnownService)
    }

    private let source: Source

    /// Templates of the request's own parameters; each may be empty.
    package init(
        message: String, title: String, priority: String
    ) throws(NtfyRefusal) {
        do throws(TemplateFailure) {
            source = .inline(
                message: try GoTemplate(message), title: try GoTemplate(title),
                priority: try GoTemplate(priority))
        } catch {
            throw NtfyRefusal(error)
        }
    }

    /// The template of a service.
    package init(named name: String) throws(NtfyRefusal) {
        switch name {
        case "github": source = .service(.github)
        case "grafana": source = .service(.grafana)
        case "alertmanager": source = .service(.alertmanager)
        default: throw .unknownTemplate
        }
    }

    /// Title, text and priority, of a service also tags, link and buttons. `event` is what a header
    /// field says about the event of a repository.
    package func apply(
        body: [UInt8], event: String = ""
    ) throws(NtfyRefusal) -> TopicContent {
        guard body.count <= Self.bodyLimit else { throw .largeJSON }
        guard let root = JSONNode(json: body) else { throw .templateNeedsJSON }
        switch source {
        case .service(let service):
            guard let content = service.content(of: root, body, event: event) else {
                throw .failedTemplate
            }
            return content
        case .inline(let message, let title, let priority):
            guard let value = TemplateValue(root) else { throw .templateNeedsJSON }
            var content = TopicContent()
            var budget = TemplateBudget()
            content.text = try Self.text(of: message, over: value, &budget)
            content.title = try Self.text(of: title, over: value, &budget)
            let level = try Self.text(of: priority, over: value, &budget)
            guard let number = level.isEmpty ? 0 : PlainDialect.priority(level) else {
                throw .badPriority
            }
            content.priority = UInt8(number)
            return content
        }
    }

    private static func text(
        of template: GoTemplate, over value: TemplateValue, _ budget: inout TemplateBudget
    ) throws(NtfyRefusal) -> String {
        let text: String
        do throws(TemplateFailure) {
            text = try TemplateRun.text(of: template, over: value, &budget)
        } catch {
            throw NtfyRefusal(error)
        }
        // Line breaks may be written as two characters, because parameters have only one line.
        let lines = text[...].filled(at: "\\") { rest in
            guard rest.first == "n" else { return nil }
            rest = rest.dropFirst()
            return "\n"
        }
        let trimmed = GoText.trimmed(lines)
        guard trimmed.utf8.count <= textLimit else { throw .longTemplateText }
        return trimmed
    }
}

extension NtfyRefusal {
    fileprivate init(_ failure: TemplateFailure) {
        self =
            switch failure {
            case .syntax: .badTemplate
            case .forbidden: .forbiddenTemplate
            case .execution: .failedTemplate
            }
    }
}
