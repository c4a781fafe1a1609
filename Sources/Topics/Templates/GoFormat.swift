import Base

/// Numbers as Go prints them.
enum GoNumber {
    /// As few digits as tell it from its neighbours: `0.5`, `100000`, `1e+06`.
    static func shortest(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        // Most numbers are small and whole.
        if value.magnitude < 1e6, value != 0, let whole = Int64(exactly: value) {
            return "\(whole)"
        }
        let sign = value.sign == .minus ? "-" : ""
        let (digits, point) = decimal(value.magnitude)
        // An exponent below -4 or above 5 is written.
        return sign + (-3...6 ~= point ? plain(digits, point) : scientific(digits, point))
    }

    /// The digits, and how many of them stand before the point; 0 has one.
    private static func decimal(_ value: Double) -> (digits: String, point: Int) {
        let parts = "\(value)".split(separator: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = number.count > 1 ? number[1] : ""
        let all = number[0] + fraction
        let digits = all.drop { $0 == "0" }
        let point = number[0].count + exponent - (all.count - digits.count)
        let end = digits.lastIndex { $0 != "0" }
        guard let end else { return ("0", 1) }
        return (String(digits[...end]), point)
    }

    private static func plain(_ digits: String, _ point: Int) -> String {
        if point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        if point >= digits.utf8.count {
            return digits + String(repeating: "0", count: point - digits.utf8.count)
        }
        return digits.prefix(point) + "." + digits.dropFirst(point)
    }

    private static func scientific(_ digits: String, _ point: Int) -> String {
        let exponent = point - 1
        let rest = digits.dropFirst()
        return digits.prefix(1) + (rest.isEmpty ? "" : "." + rest)
            + (exponent < 0 ? "e-" : "e+") + CivilTime.twoDigits(Int64(exponent.magnitude))
    }

    /// With that many digits behind the point, as `%.2f`.
    static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return shortest(value) }
        let sign = value.sign == .minus ? "-" : ""
        let magnitude = value.magnitude
        // There is nothing behind the point of such a number.
        guard magnitude < 9e15 else {
            let (digits, point) = decimal(magnitude)
            return sign + plain(digits, point) + fraction(0, places)
        }
        var whole = magnitude.rounded(.down)
        let kept = min(places, exactPlaces)
        let scale = (0..<kept).reduce(1.0) { scale, _ in scale * 10 }
        let part = magnitude - whole
        var scaled = (part * scale).rounded(.down)
        let excess = part * scale - scaled
        // What the multiplication has rounded away decides in the middle between two numbers.
        let lost = (-part * scale).addingProduct(part, scale)
        let isOdd = (kept > 0 ? scaled : whole).truncatingRemainder(dividingBy: 2) == 1
        if excess > 0.5 || excess == 0.5 && (lost > 0 || lost == 0 && isOdd) { scaled += 1 }
        if scaled >= scale { (whole, scaled) = (whole + 1, scaled - scale) }
        return sign + "\(Int64(whole))" + fraction(Int64(scaled), places)
    }

    private static let exactPlaces = 15

    private static func fraction(_ digits: Int64, _ places: Int) -> String {
        guard places > 0 else { return "" }
        let text = "\(digits)"
        let kept = min(places, exactPlaces)
        let zeros = String(repeating: "0", count: max(0, kept - text.utf8.count))
        return "." + zeros + text.prefix(kept) + String(repeating: "0", count: places - kept)
    }
}

/// `printf`, for the verbs that JSON's values have. What Go answers with a complaint in the text is a
/// failure here, but `%d` also prints whole numbers of JSON.
enum GoFormat {
    private static let widest = 1_000

    static func text(
        _ format: String, _ values: ArraySlice<TemplateValue>
    ) throws(TemplateFailure) -> String {
        var result = TemplateText()
        var (rest, values) = (format[...], values)
        while let place = rest.firstIndex(of: "%") {
            try result.append(rest[..<place])
            rest = rest[place...].dropFirst()
            let field = try Field(&rest)
            if field.verb == "%" {
                try result.append("%")
            } else {
                guard let value = values.popFirst() else { throw .execution }
                try result.append(field.padded(field.text(value)))
            }
        }
        try result.append(rest)
        guard values.isEmpty else { throw .execution }
        return result.text
    }

    /// What begins with a percent sign.
    private struct Field {
        private var flags: Set<Character> = []
        private let width: Int
        private var places: Int?
        let verb: Character

        init(_ rest: inout Substring) throws(TemplateFailure) {
            while let flag = rest.first, "-+0".contains(flag) { flags.insert(rest.removeFirst()) }
            width = try Self.number(&rest)
            if rest.first == "." {
                rest = rest.dropFirst()
                places = try Self.number(&rest)
            }
            guard let verb = rest.popFirst() else { throw .execution }
            self.verb = verb
        }

        private static func number(_ rest: inout Substring) throws(TemplateFailure) -> Int {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let number = digits.isEmpty ? 0 : Int(digits), number <= widest else {
                throw .execution
            }
            return number
        }

        func text(_ value: TemplateValue) throws(TemplateFailure) -> String {
            switch (verb, value) {
            case ("v", .float(let number)), ("g", .float(let number)):
                return signed(GoNumber.shortest(number))
            case ("f", .float(let number)): return signed(GoNumber.fixed(number, places ?? 6))
            case ("d", .int(let number)), ("v", .int(let number)): return signed("\(number)")
            case ("d", .float(let number)):
                guard let whole = Int64(exactly: number) else { throw .execution }
                return signed("\(whole)")
            case ("x", .int(let number)): return String(number, radix: 16)
            case ("q", .text(let text)): return GoText.quoted(cut(text))
            case ("s", .text(let text)), ("v", .text(let text)): return cut(text)
            case ("t", .bool), ("s", .list), ("s", .map), ("v", _): return try value.printed()
            default: throw .execution
            }
        }

        private func signed(_ number: String) -> String {
            flags.contains("+") && !number.hasPrefix("-") ? "+" + number : number
        }

        private func cut(_ text: String) -> String {
            places.map { String(String.UnicodeScalarView(text.unicodeScalars.prefix($0))) } ?? text
        }

        func padded(_ text: String) -> String {
            let missing = max(0, width - text.unicodeScalars.count)
            if flags.contains("-") { return text + String(repeating: " ", count: missing) }
            guard flags.contains("0") else { return String(repeating: " ", count: missing) + text }
            let sign = text.prefix { $0 == "-" || $0 == "+" }
            return sign + String(repeating: "0", count: missing) + text.dropFirst(sign.count)
        }
    }
}
