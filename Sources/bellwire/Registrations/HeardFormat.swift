import Dialects

/// What pushes to an endpoint of `bellwire hear`.
struct HeardFormat {
    /// The word for it; nil for scripts.
    let service: String?
    let dialect: Dialect

    private static let services = [
        "alertmanager", "grafana", "github", "forgejo", "gitea", "uptime-kuma", "home-assistant",
    ]

    static let list =
        services.dropLast().joined(separator: ", ") + " or " + (services.last ?? "nothing")

    init(_ word: String?) throws {
        guard let word else {
            (service, dialect) = (nil, .plain)
            return
        }
        guard Self.services.contains(word), let dialect = Dialect(word: word) else {
            throw CommandError.usage("--from takes \(Self.list)")
        }
        (service, self.dialect) = (word, dialect)
    }

    /// Where to put the address.
    var advice: String? {
        switch service {
        case "alertmanager":
            "in alertmanager.yml, below receivers: webhook_configs with this url, and send_resolved: true"
        case "grafana": "in Grafana: Alerting, Contact points, an integration of type Webhook"
        case "github":
            "at GitHub: Settings, Webhooks, Add webhook; content type application/json, no secret"
        case "forgejo", "gitea": "in the repository: Settings, Webhooks; POST, application/json"
        case "uptime-kuma":
            "in Uptime Kuma: Settings, Notifications, type Webhook, POST, application/json"
        case "home-assistant":
            "in configuration.yaml, below notify: platform rest, resource with this address, method POST_JSON"
        default: nil
        }
    }
}
