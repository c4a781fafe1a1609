import Base

/// The WebSocket fields of an upgrade request or its answer, collected in any order (RFC 6455
/// sections 4.1 and 4.2.1).
package struct WebSocketFields: Sendable {
    /// `Upgrade` names websocket.
    package private(set) var asksForWebSocket = false
    /// `Connection` names upgrade.
    private(set) var asksForUpgrade = false
    private(set) var key: [UInt8]?
    private(set) var version: [UInt8]?
    private(set) var accept: [UInt8]?
    private(set) var protocols: [String] = []
    private(set) var namesExtension = false
    /// A field that may come only once came twice.
    private(set) var isAmbiguous = false

    /// No real client offers more; the limit keeps searching cheap.
    private static let protocolLimit = 16

    package init() {}

    /// Adds a field; `value` has no surrounding blanks.
    package mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
        if name.equalsIgnoringCase("upgrade") {
            Self.forEachElement(of: value) { element in
                asksForWebSocket = asksForWebSocket || element.equalsIgnoringCase("websocket")
            }
        } else if name.equalsIgnoringCase("connection") {
            Self.forEachElement(of: value) { element in
                asksForUpgrade = asksForUpgrade || element.equalsIgnoringCase("upgrade")
            }
        } else if name.equalsIgnoringCase("sec-websocket-key") {
            isAmbiguous = Self.isRepeat(of: &key, value) || isAmbiguous
        } else if name.equalsIgnoringCase("sec-websocket-version") {
            isAmbiguous = Self.isRepeat(of: &version, value) || isAmbiguous
        } else if name.equalsIgnoringCase("sec-websocket-accept") {
            isAmbiguous = Self.isRepeat(of: &accept, value) || isAmbiguous
        } else if name.equalsIgnoringCase("sec-websocket-protocol") {
            Self.forEachElement(of: value) { element in
                guard protocols.count < Self.protocolLimit else { return }
                protocols.append(
                    element.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
            }
        } else if name.equalsIgnoringCase("sec-websocket-extensions") {
            Self.forEachElement(of: value) { _ in namesExtension = true }
        }
    }

    /// Sets the field and returns whether it was set before.
    private static func isRepeat(of field: inout [UInt8]?, _ value: Span<UInt8>) -> Bool {
        defer { field = value.array(0..<value.count) }
        return field != nil
    }

    /// Calls `body` with each non-empty element of a comma-separated list (RFC 9110 5.6.1).
    private static func forEachElement(of list: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        var position = 0
        while let element = list.nextListElement(from: &position) {
            if !element.isEmpty { body(list.extracting(element)) }
        }
    }
}
