"""HTTP/2 over TLS for senders: several requests at once on one connection, and the ways in which they end."""

import asyncio

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
from clients.sender import Client, Closed
from hyperframe.frame import GoAwayFrame

# After about this many requests, a new connection takes over.
REQUESTS = 150


class Connection(asyncio.Protocol):
    """`answers`: the open streams and who waits for them."""

    def __init__(self, left):
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.answers, self.left, self.is_open = {}, left, True
        self.room, self.rest = asyncio.Event(), b""

    def connection_made(self, transport):
        self.transport = transport
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if not self.transport.is_closing():
            self.transport.write(data)

    def data_received(self, data):
        for event in self.h2.receive_data(b"".join(self.frames(data))):
            self.take(event)
        self.flush()
        self.room.set()
        self.close_if_done()

    def frames(self, data):
        """The complete frames without GOAWAY, after which the library would take no answers."""
        self.rest += data
        while len(self.rest) >= 9 and len(self.rest) >= 9 + int.from_bytes(self.rest[:3]):
            size = 9 + int.from_bytes(self.rest[:3])
            frame, self.rest = self.rest[:size], self.rest[size:]
            if frame[3] == GoAwayFrame.type:
                self.goes_away(int.from_bytes(frame[9:13]) & 0x7FFF_FFFF)
            else:
                yield frame

    def goes_away(self, last):
        """The server answers what it got until then, and does nothing with later streams (RFC 9113 section 6.8)."""
        self.is_open = False
        for stream in [stream for stream in self.answers if stream > last]:
            self.fail(stream, Closed(is_untouched=True))

    def take(self, event):
        answer = self.answers.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if answer:
                answer.body += event.data
        elif not answer:
            pass
        elif isinstance(event, h2.events.ResponseReceived):
            answer.fields = dict(event.headers)
        elif isinstance(event, h2.events.StreamReset):
            is_untouched = event.error_code == h2.errors.ErrorCodes.REFUSED_STREAM
            self.fail(event.stream_id, Closed(is_untouched=is_untouched))
        elif isinstance(event, h2.events.StreamEnded):
            del self.answers[event.stream_id]
            if not answer.future.done():
                answer.future.set_result(None)

    def fail(self, stream, error):
        answer = self.answers.pop(stream)
        if not answer.future.done():
            answer.future.set_exception(error)

    def connection_lost(self, error):
        self.is_open = False
        self.room.set()
        for stream in list(self.answers):
            self.fail(stream, Closed())

    def retire(self, says_so):
        """No more requests; the server may hear of it while it still answers the others."""
        self.is_open = False
        if says_so and not self.transport.is_closing():
            self.transport.write(GoAwayFrame(0, last_stream_id=0).serialize())
        self.close_if_done()

    def close_if_done(self):
        if not self.is_open and not self.answers:
            self.transport.close()


class Answer:
    def __init__(self):
        self.fields, self.body, self.future = {}, b"", asyncio.get_running_loop().create_future()


class Http2Client(Client):
    """Any number of senders may share it."""

    STREAMS = 4

    def __init__(self, port, context, chance, is_faulty=False):
        super().__init__(port, context, is_faulty)
        self.random, self.connection, self.lock = chance, None, asyncio.Lock()

    async def connect(self):
        async with self.lock:
            if self.connection and self.connection.left <= 0 and self.connection.is_open:
                self.connection.retire(says_so=self.random.random() < 0.5)
            if not self.connection or not self.connection.is_open:
                left = int(self.random.expovariate(1 / REQUESTS)) + 1
                terms = dict(ssl=self.context, server_hostname="localhost", ssl_shutdown_timeout=1)
                _, self.connection = await asyncio.get_running_loop().create_connection(
                    lambda: Connection(left), "127.0.0.1", self.port, **terms
                )
            self.connection.left -= 1
            return self.connection

    async def ask(self, method, path, fields=(), body=b""):
        """Also gives up some requests, by resetting their streams."""
        patience = self.PATIENCE if self.random.random() > 0.02 else self.random.uniform(0, 0.004)
        is_patient = patience == self.PATIENCE
        try:
            async with asyncio.timeout(patience):
                return await self.exchange(method, path, fields, body)
        except TimeoutError as error:
            if is_patient:
                raise
            raise Closed(is_loose=True) from error
        except OSError as error:
            raise Closed(self.is_faulty) from error
        except Closed as error:
            error.is_loose |= self.is_faulty and not error.is_untouched
            raise

    async def exchange(self, method, path, fields, body):
        connection = await self.connect()
        if not connection.is_open:
            raise Closed()
        stream, answer = connection.h2.get_next_available_stream_id(), Answer()
        connection.answers[stream] = answer
        head = [
            (":method", method),
            (":scheme", "https"),
            (":authority", f"localhost:{self.port}"),
            (":path", path),
            *((name.lower(), str(value)) for name, value in fields),
        ]
        try:
            connection.h2.send_headers(stream, head, end_stream=not body)
            await self.send(connection, stream, body)
            await answer.future
        except (asyncio.CancelledError, h2.exceptions.ProtocolError) as error:
            connection.answers.pop(stream, None)
            self.give_up(connection, stream)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise Closed() from error
        return int(answer.fields[":status"]), answer.fields | {"body": answer.body}

    async def send(self, connection, stream, body):
        while body:
            room = min(
                connection.h2.local_flow_control_window(stream), connection.h2.max_outbound_frame_size, len(body)
            )
            if room > 0 and self.random.random() < 0.05:
                room = self.random.randint(1, room)
            if room > 0:
                connection.h2.send_data(stream, body[:room], end_stream=room == len(body))
                body = body[room:]
                connection.flush()
            else:
                connection.room.clear()
                await connection.room.wait()
        connection.flush()

    def give_up(self, connection, stream):
        try:
            connection.h2.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
            connection.flush()
        except h2.exceptions.ProtocolError:
            pass  # The connection or the stream is over.
        connection.close_if_done()

    def close(self):
        """Other senders go on."""
