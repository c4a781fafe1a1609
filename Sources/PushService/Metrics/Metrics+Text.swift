import HTTP
import Mailbox
import System
import WebPush

/// The text for a scrape. docs/metrics.md explains each family.
extension Metrics {
    func text(_ store: any MessageStore, version: String) -> String {
        var text = MetricsText()
        addProcess(to: &text, version)
        addConnections(to: &text)
        addPushes(to: &text)
        addDeliveries(to: &text)
        addStore(store, to: &text)
        return text.text
    }

    private func addProcess(to text: inout MetricsText, _ version: String) {
        text.begin("bellwire_build_info", "gauge", "The version of the running server.")
        text.add([("version", version)], 1)
        let usage = ProcessUsage.current
        text.begin(
            "process_start_time_seconds", "gauge",
            "Start time of the process, in seconds since 1970.")
        text.add(began)
        text.begin("process_cpu_seconds_total", "counter", "CPU time used by all threads.")
        text.add(usage.processorSeconds)
        text.add(
            "process_resident_memory_bytes", "gauge", "Memory in use.", usage.residentBytes)
        text.add("process_open_fds", "gauge", "Open files and sockets.", usage.openDescriptors)
        text.add(
            "process_max_fds", "gauge", "The most files and sockets that may be open.",
            usage.descriptorLimit)
    }

    private func addConnections(to text: inout MetricsText) {
        text.begin("bellwire_connections", "gauge", "Open connections by protocol.")
        for spoken in HTTPFigures.Spoken.allCases {
            text.add([("protocol", spoken.rawValue)], http.count(of: spoken))
        }
        text.begin(
            "bellwire_connections_turned_away_total", "counter", "Connections that were refused."
        )
        text.add("reason", http.turnedAwayConnections, known: HTTPFigures.turnedAwayWords)
        text.begin(
            "bellwire_floods_total", "counter",
            "Connections closed because of a flood, by its kind.")
        text.add("kind", http.floodKinds, known: HTTPFigures.floodWords)
        text.begin(
            "bellwire_http_refused_total", "counter", "Malformed requests by reason.")
        text.add("reason", http.refusals, known: HTTPRefusal.allCases.map(\.rawValue))
        text.begin(
            "bellwire_requests_failed_total", "counter",
            "Requests answered with a status of 400 or above.")
        for (what, status, count) in http.failures {
            text.add([("what", what.isEmpty ? "other" : what), ("status", "\(status)")], count)
        }
    }

    private func addPushes(to text: inout MetricsText) {
        text.begin("bellwire_pushes_total", "counter", "Pushes by result.")
        text.add([("result", "accepted")], acceptedCount)
        text.add([("result", "repeated")], repeatedCount)
        text.add("result", refusals, known: PushRefusal.words)
        text.begin(
            "bellwire_push_duration_seconds", "histogram",
            "Time from reading a push to answering it.")
        durations.write(to: &text)
        text.begin(
            "bellwire_undecryptable_total", "counter", "Pushes that could not be decrypted.")
        text.add("reason", undecryptableReasons)
        text.add(
            "bellwire_outranked_total", "counter",
            "Pushes that tried to change better protected messages.", outrankedCount)
    }

    private func addDeliveries(to text: inout MetricsText) {
        text.add(
            "bellwire_deliveries_total", "counter", "Messages sent to user agents.", deliveredCount)
        text.add(
            "bellwire_acknowledgements_total", "counter",
            "Messages that user agents acknowledged.", acknowledgedCount)
        text.add(
            "bellwire_user_agents", "gauge", "Connected user agents.", userAgentCount)
        text.begin("bellwire_callbacks_total", "counter", "Callback attempts by result.")
        text.add("result", callbackEnds, known: Self.callbackResults)
    }

    private func addStore(_ store: any MessageStore, to text: inout MetricsText) {
        let index = store.index
        text.add(
            "bellwire_devices", "gauge",
            "User agents with a subscription, and registrations.", index.deviceCount)
        text.add("bellwire_endpoints", "gauge", "Subscriptions.", index.endpointCount)
        let usage = index.usage
        text.add(
            "bellwire_messages_waiting", "gauge", "Messages that wait for user agents.",
            usage.messages)
        text.add(
            "bellwire_messages_waiting_bytes", "gauge", "Bytes of the waiting messages.",
            usage.bytes)
        text.add(
            "bellwire_files_missing", "gauge",
            "Files of topics whose messages are here without them.", index.files.missingCount)
        text.add(
            "bellwire_store_usable", "gauge", "Whether the store can be used.",
            store.isUsable ? 1 : 0)
        text.add(
            "bellwire_store_servers_unsafe", "gauge",
            "Servers of the store that may lose what they confirm.", store.unsafeServerCount)
    }
}

/// The text format of Prometheus, version 0.0.4: families of values, each with its help.
struct MetricsText {
    private(set) var text = ""
    private var name = ""

    mutating func begin(_ name: String, _ type: String, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Labels contain only fixed words, so they need no escaping.
    mutating func add(_ labels: [(String, String)] = [], _ value: Int, suffix: String = "") {
        add(labels, "\(value)", suffix: suffix)
    }

    mutating func add(_ value: Double, suffix: String = "") { add([], "\(value)", suffix: suffix) }

    /// A value for each word. The known words begin with 0: a rate counts from the first value that
    /// a reader has seen.
    mutating func add(
        _ label: String, _ counts: [(word: String, count: Int)], known: [String] = []
    ) {
        var values = Dictionary(known.map { ($0, 0) }) { first, _ in first }
        for (word, count) in counts { values[word] = count }
        for (word, count) in values.sorted(by: { $0.key < $1.key }) { add([(label, word)], count) }
    }

    /// A family with one value.
    mutating func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
        begin(name, type, help)
        add([], value)
    }

    private mutating func add(_ labels: [(String, String)], _ value: String, suffix: String) {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        text +=
            list.isEmpty ? "\(name)\(suffix) \(value)\n" : "\(name)\(suffix){\(list)} \(value)\n"
    }
}
