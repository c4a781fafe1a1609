import Base
import CCurl
import Glibc
import System

/// One request under way. It owns everything that libcurl points to until it has ended.
final class RunningRequest {
    typealias Completion = (Result<HTTPResponse, RequestFailure>) -> Void

    let easy: EasyHandle
    let completion: Completion
    private let request: LoopRequest
    private let settings: LoopClient.Settings
    private let answer: AnswerSink
    private let fields: TextList
    private let names: TextList
    /// It is kept open, so that its path still leads to the socket that was checked.
    private let socket: CheckedSocket?
    private var refusal: String?

    init(
        _ request: LoopRequest, _ settings: LoopClient.Settings,
        _ completion: @escaping Completion
    ) throws(RequestFailure) {
        socket = try request.socket.map(Self.hold)
        do throws(CurlError) {
            let easy = try EasyHandle()
            let fields = try TextList(fields: request.fields)
            let names = try TextList(settings.fixedNames)
            self.easy = easy
            self.fields = fields
            self.names = names
        } catch { throw .failed(error) }
        answer = AnswerSink(limit: request.answerLimit, endsAtLimit: true)
        self.request = request
        self.settings = settings
        self.completion = completion
        do throws(CurlError) { try configure() } catch { throw .failed(error) }
    }

    private static func hold(
        _ place: LoopRequest.SocketPlace
    ) throws(RequestFailure) -> CheckedSocket {
        do throws(CheckedSocket.Failure) {
            return try CheckedSocket(
                place.path, beneath: place.folder, owner: place.owner, excluding: place.excluded)
        } catch { throw .socket(error) }
    }

    private func configure() throws(CurlError) {
        try easy.set(CURLOPT_URL, request.url)
        try easy.set(CURLOPT_PROTOCOLS_STR, request.isEncrypted ? "https" : "http")
        try easy.set(CURLOPT_USERAGENT, settings.userAgent)
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.set(CURLOPT_TIMEOUT_MS, Int(settings.patience.wholeMilliseconds))
        try easy.set(CURLOPT_HTTP09_ALLOWED, 0)
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Otherwise the end of a transfer would wait for its name lookup.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
        if let file = settings.authorities { try easy.set(CURLOPT_CAINFO, file) }
        // An empty text means no proxy, not even one of the environment.
        try easy.set(CURLOPT_PROXY, request.proxy ?? "")
        try easy.set(CURLOPT_RESOLVE, UnsafeRawPointer(names.handle))
        try easy.set(opensocket: openSocket)
        try easy.set(
            CURLOPT_OPENSOCKETDATA, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
        if let socket { try easy.set(CURLOPT_UNIX_SOCKET_PATH, socket.path) }
        try configureConnection()
        try configureBody()
        try answer.attach(to: easy)
    }

    private func configureConnection() throws(CurlError) {
        let isShared = request.sharesConnection
        try easy.set(CURLOPT_FRESH_CONNECT, isShared ? 0 : 1)
        try easy.set(CURLOPT_FORBID_REUSE, isShared ? 0 : 1)
        // With HTTP/2 another request could use the connection at the same time.
        let version = isShared ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try easy.set(CURLOPT_HTTP_VERSION, version)
    }

    private func configureBody() throws(CurlError) {
        try easy.set(CURLOPT_HTTPHEADER, UnsafeRawPointer(fields.handle))
        guard let body = request.body else { return try easy.set(CURLOPT_HTTPGET, 1) }
        try easy.set(CURLOPT_POST, 1)
        try easy.set(CURLOPT_POSTFIELDSIZE, body.count)
        let code = body.withUnsafeBytes { body in
            ccurl_set_pointer(
                easy.handle, CURLOPT_COPYPOSTFIELDS,
                body.baseAddress ?? UnsafeRawPointer(easy.handle))
        }
        try ensure(code)
    }

    /// It is asked before each new connection, with the address that the name now resolves to.
    fileprivate func admits(_ dialled: UnsafePointer<curl_sockaddr>) -> Bool {
        if socket != nil { return dialled.pointee.family == AF_UNIX }
        if request.proxy != nil { return true }
        guard let address = DialledAddress(dialled) else { return false }
        refusal = request.objection(address)
        return refusal == nil
    }

    func result(_ code: CURLcode) -> Result<HTTPResponse, RequestFailure> {
        // `AnswerSink` ends a transfer with a write error once it has enough.
        guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && answer.isEnough) else {
            if let refusal { return .failure(.refused(refusal)) }
            return .failure(code == CURLE_OPERATION_TIMEDOUT ? .timedOut : .failed(CurlError(code)))
        }
        do throws(CurlError) {
            return .success(
                HTTPResponse(status: try easy.status, fields: answer.fields, body: answer.body))
        } catch { return .failure(.failed(error)) }
    }
}

private let openSocket: curl_opensocket_callback = { context, _, dialled in
    guard let context, let dialled else { return CURL_SOCKET_BAD }
    let transfer = Unmanaged<RunningRequest>.fromOpaque(context).takeUnretainedValue()
    guard transfer.admits(dialled) else { return CURL_SOCKET_BAD }
    return socket(
        dialled.pointee.family, dialled.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
        dialled.pointee.protocol)
}
