import Base
import Notifications

/// The fields of a body that is JSON or a form, of whatever kind its sender likes.
struct SentForm: Confidential {
    /// The object, if it is JSON.
    private(set) var root: JSONNode?
    private(set) var pairs: [(name: [UInt8], value: [UInt8])] = []
    private(set) var files: [MultipartForm.Part] = []

    /// A form of more has other things in it.
    private static let pairLimit = 64

    /// Nil for a body that cannot be read. One that begins like an object is JSON whatever its type,
    /// because `curl -d` says that everything is a form.
    init?(type: Span<UInt8>, _ body: [UInt8]) {
        guard let start = body.first(where: { $0 > UInt8(ascii: " ") }) else { return }
        if let boundary = MultipartForm.boundary(type) {
            guard let parts = MultipartForm.parts(of: body, boundary: boundary) else {
                return nil
            }
            files = parts.filter(\.isFile)
            pairs = parts.filter { !$0.isFile }.map { (Array($0.name.utf8), $0.value) }
        } else if start == UInt8(ascii: "{") || MediaType.isOf(type, "application/json") {
            guard let root = JSONNode(json: body), root.kind == .object else { return nil }
            self.root = root
        } else if body.count(where: { $0 == UInt8(ascii: "&") }) < Self.pairLimit {
            pairs = PercentEncoding.pairs(body.span)
        } else {
            return nil
        }
    }
}
