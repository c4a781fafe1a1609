import CNghttp2

/// A call of nghttp2 that did not work.
package struct HTTP2Fault: Error, Equatable, CustomStringConvertible {
    package let code: Int32
    private let call: String

    init(_ code: Int32, _ call: StaticString) {
        self.code = code
        self.call = "\(call)"
    }

    package var description: String { "\(call): \(String(cString: nghttp2_strerror(code)))" }
}

/// Turns nghttp2's "negative is an error" into a thrown one.
@discardableResult
func ensure(_ result: Int32, _ call: StaticString) throws(HTTP2Fault) -> Int32 {
    guard result >= 0 else { throw HTTP2Fault(result, call) }
    return result
}
