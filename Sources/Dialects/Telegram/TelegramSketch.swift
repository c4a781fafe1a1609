import Base

/// Telegram's picture previews: a JPEG of at most 40 pixels a side, sent without the part that is
/// the same in all of them.
enum TelegramSketch {
    /// The header that libjpeg writes for quality 20 with colours at half the resolution and the
    /// Huffman tables of ITU-T T.81 annex K. Height and width are filled in later.
    private static let beginning =
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKra\
        rYqMyP/L2u71////m8H////6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4\
        +Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAAAAADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAA\
        AAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAk\
        M2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKT\
        lJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QA\
        HwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdh\
        cRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hp\
        anN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk\
        5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwA=
        """

    private static let heightPosition = 164
    private static let widthPosition = 166
    private static let limit = 4_096

    /// The picture as a data link (RFC 2397); nil if it is not a sketch.
    static func link(_ sketch: ArraySlice<UInt8>) -> String? {
        guard sketch.count > 3, sketch.count <= limit, sketch.first == 1,
            var picture = Base64.decode(Array(beginning.utf8))
        else { return nil }
        picture[heightPosition] = sketch[sketch.startIndex + 1]
        picture[widthPosition] = sketch[sketch.startIndex + 2]
        picture += sketch.dropFirst(3)
        picture += [0xFF, 0xD9]
        return "data:image/jpeg;base64," + Base64.text(picture.span)
    }
}
