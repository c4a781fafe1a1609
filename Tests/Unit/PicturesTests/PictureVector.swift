import Base
import TestSupport
import Testing

/// A picture file, and its pixels as another program decodes them.
struct PictureVector {
    let name: String
    let size: (width: Int, height: Int)
    let file: [UInt8]
    let hasAlpha: Bool
    /// Empty if its kind is refused.
    let pixels: [UInt8]

    private init(_ node: JSONNode) throws {
        func bytes(_ node: JSONNode?) throws -> [UInt8] {
            try #require(Base64.decode(Array((node?.text ?? "").utf8)))
        }
        name = node["name"]?.text ?? ""
        size = (Int(node["width"]?.integer ?? 0), Int(node["height"]?.integer ?? 0))
        file = try bytes(node["file"])
        hasAlpha = node["alpha"]?.bool ?? false
        pixels = try bytes(node["pixels"])
    }

    /// Of the kind `jpeg` or `png`.
    static func all(_ kind: String) throws -> [PictureVector] {
        try Vectors.lines(of: "\(kind).jsonl").map { try PictureVector($0) }
    }
}
