import Base

/// Pixels in the layout of the hint `image-data`: rows without gaps, red, green, blue, and alpha if
/// `hasAlpha`.
package struct Picture: Equatable, Sendable {
    enum Refusal: Error, Equatable {
        case damaged
        case unsupported
        case tooLarge
    }

    package let width: Int
    package let height: Int
    package let pixels: [UInt8]
    package let hasAlpha: Bool

    /// Pictures that fit into a push are smaller. A few bytes that claim to be larger would block
    /// everything else while they are unpacked.
    static let pixelLimit = 512 * 512
    private static let sizeLimit = 256
    private static let kinds: [(prefix: String, kind: PictureFile.Kind)] = [
        ("data:image/jpeg;base64,", .jpeg), ("data:image/png;base64,", .png),
    ]

    init(width: Int, height: Int, pixels: [UInt8], hasAlpha: Bool = false) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.hasAlpha = hasAlpha
    }

    package var channels: Int { hasAlpha ? 4 : 3 }

    /// Decodes a data link (RFC 2397); nil for everything else, because nothing is ever fetched.
    package init?(link: String) {
        guard let kind = Self.kinds.first(where: { link.hasPrefix($0.prefix) }),
            let bytes = Base64.decode(Array(link.utf8.dropFirst(kind.prefix.utf8.count)))
        else { return nil }
        self.init(bytes, kind.kind, pixelLimit: Self.pixelLimit)
    }

    /// Nil for what cannot be shown: the notification is shown without it.
    init?(_ bytes: [UInt8], _ kind: PictureFile.Kind, pixelLimit: Int) {
        do throws(Refusal) {
            let whole =
                switch kind {
                case .png: try PNGDecoder.picture(bytes, pixelLimit: pixelLimit)
                case .jpeg: try JPEGDecoder.picture(bytes, pixelLimit: pixelLimit)
                }
            self = whole.reduced(to: Self.sizeLimit)
        } catch {
            return nil
        }
    }

    /// Scales down for a notification: each pixel is the mean of several.
    func reduced(to limit: Int) -> Picture {
        let step = (max(width, height) + limit - 1) / limit
        guard step > 1 else { return self }
        let size = (width: (width + step - 1) / step, height: (height + step - 1) / step)
        var result = [UInt8]()
        result.reserveCapacity(size.width * size.height * channels)
        for row in 0..<size.height {
            for column in 0..<size.width {
                let rows = row * step..<min((row + 1) * step, height)
                let columns = column * step..<min((column + 1) * step, width)
                result += mean(rows, columns)
            }
        }
        return Picture(
            width: size.width, height: size.height, pixels: result, hasAlpha: hasAlpha)
    }

    /// The mean colour, weighted by alpha.
    private func mean(_ rows: Range<Int>, _ columns: Range<Int>) -> [UInt8] {
        var sums = [0, 0, 0]
        var weight = 0
        for row in rows {
            for column in columns {
                let place = (row * width + column) * channels
                let alpha = hasAlpha ? Int(pixels[place + 3]) : 1
                for channel in 0..<3 { sums[channel] += Int(pixels[place + channel]) * alpha }
                weight += alpha
            }
        }
        let colour = sums.map { UInt8($0 / max(weight, 1)) }
        return hasAlpha ? colour + [UInt8(weight / (rows.count * columns.count))] : colour
    }
}
