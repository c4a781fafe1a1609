/// A file that a screen may show: a PNG or a JPEG of which the head promises no more than is unpacked.
/// What kind it is, its first bytes say, and neither its name nor its sender.
package struct PictureFile: Equatable, Sendable {
    package enum Kind: Sendable {
        case png
        case jpeg

        package var mediaType: StaticString {
            switch self {
            case .png: "image/png"
            case .jpeg: "image/jpeg"
            }
        }
    }

    package let kind: Kind
    package let bytes: [UInt8]

    package static let byteLimit = 2 << 20
    /// As many as a camera of four megapixels makes.
    package static let pixelLimit = 4 << 20

    /// Nil for any other file.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit else { return nil }
        let kind: Kind = bytes.first == 0xFF ? .jpeg : .png
        do throws(Picture.Refusal) {
            let size =
                switch kind {
                case .png: try PNGDecoder.size(bytes)
                case .jpeg: try JPEGDecoder.size(bytes)
                }
            guard size.width <= Self.pixelLimit / size.height else { return nil }
        } catch {
            return nil
        }
        (self.kind, self.bytes) = (kind, bytes)
    }

    /// Its pixels, scaled down for a notification. This may take a second. Nil if the file does not
    /// keep what its head promises, or is of a way of coding that is not known.
    package var picture: Picture? { Picture(bytes, kind, pixelLimit: Self.pixelLimit) }
}
