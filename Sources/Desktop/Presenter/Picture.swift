import Base

/// Pixels as the hint `image-data` has them: rows without gaps, RGB.
struct Picture: Equatable, Sendable {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    private static let sizeLimit = 256

    init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// From a link that holds its picture (RFC 2397); nothing is ever fetched. Nil for all else.
    init?(link: String) {
        let prefix = "data:image/jpeg;base64,"
        guard link.hasPrefix(prefix),
            let bytes = Base64.decode(Array(link.utf8.dropFirst(prefix.utf8.count)))
        else { return nil }
        do throws(JPEGDecoder.Refusal) {
            self = try JPEGDecoder.picture(bytes).reduced(to: Self.sizeLimit)
        } catch {
            // The notification is shown without it.
            return nil
        }
    }

    /// Small enough for a notification: each pixel is the mean of as many as needed.
    func reduced(to limit: Int) -> Picture {
        let step = (max(width, height) + limit - 1) / limit
        guard step > 1 else { return self }
        let size = (width: (width + step - 1) / step, height: (height + step - 1) / step)
        var result = [UInt8]()
        result.reserveCapacity(size.width * size.height * 3)
        for row in 0..<size.height {
            for column in 0..<size.width {
                let rows = row * step..<min((row + 1) * step, height)
                let columns = column * step..<min((column + 1) * step, width)
                result += mean(rows, columns)
            }
        }
        return Picture(width: size.width, height: size.height, pixels: result)
    }

    private func mean(_ rows: Range<Int>, _ columns: Range<Int>) -> [UInt8] {
        var sums = [0, 0, 0]
        for row in rows {
            for column in columns {
                for channel in 0..<3 {
                    sums[channel] += Int(pixels[(row * width + column) * 3 + channel])
                }
            }
        }
        let count = rows.count * columns.count
        return sums.map { UInt8($0 / count) }
    }
}
