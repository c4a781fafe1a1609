"""A plugin of pytest: writes down what the tests of h2 and hpack feed to these libraries, and what these say to it.

The file to write is in the variable RECORDED. What a test does with a connection beside feeding it cannot be repeated
with a server, so such connections are marked.
"""

import json
import os

import h2.connection
import h2.exceptions
import hpack
import hpack.exceptions
import hypothesis

# Values are drawn so often; how long a test takes depends on the machine.
hypothesis.settings.register_profile("recorded", max_examples=int(os.environ["EXAMPLES"]), deadline=None)
hypothesis.settings.load_profile("recorded")

records = []
# What changes a connection so that it judges later bytes by something that a server does not know.
CHANGING = (
    "send_headers send_data end_stream reset_stream push_stream close_connection update_settings prioritize"
    " initiate_upgrade_connection increment_flow_control_window advertise_alternative_service"
).split()


class Record:
    def __init__(self, kind, is_plain):
        self.kind, self.is_plain, self.steps = kind, is_plain, []
        self.test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0].split("::", 1)[-1]
        records.append(self)


def record_of(thing, kind, is_plain):
    if not hasattr(thing, "bellwire_record"):
        thing.bellwire_record = Record(kind, is_plain)
    return thing.bellwire_record


def is_server(connection):
    config = connection.config
    return not config.client_side and config.validate_inbound_headers


def watch_h2():
    made, receive = h2.connection.H2Connection.__init__, h2.connection.H2Connection.receive_data

    def initialise(self, *arguments, **named):
        made(self, *arguments, **named)
        # The library has a decoder of its own, which is no test of hpack.
        self.decoder.bellwire_record = None

    def receive_data(self, data):
        if not is_server(self):
            return receive(self, data)
        record, step = record_of(self, "h2", True), [bytes(data).hex(), "accepted"]
        record.steps.append(step)
        try:
            return receive(self, data)
        except h2.exceptions.ProtocolError as error:
            step[1] = type(error).__name__
            raise

    h2.connection.H2Connection.__init__, h2.connection.H2Connection.receive_data = initialise, receive_data
    for name in CHANGING:
        watch_change(h2.connection.H2Connection, name)


def watch_change(kind, name):
    original = getattr(kind, name)

    def changing(self, *arguments, **named):
        if is_server(self):
            record_of(self, "h2", True).is_plain = False
        return original(self, *arguments, **named)

    setattr(kind, name, changing)


def watch_hpack():
    decode = hpack.Decoder.decode

    def recorded(self, data, raw=False):
        is_plain = self.header_table_size == 4096 and self.max_allowed_table_size == 4096
        record = record_of(self, "hpack", is_plain)
        if record is None:
            return decode(self, data, raw)
        step = [bytes(data).hex(), "accepted"]
        record.steps.append(step)
        record.is_plain &= is_plain
        try:
            return decode(self, data, raw)
        except hpack.exceptions.OversizedHeaderListError:
            record.is_plain = False
            raise
        except hpack.exceptions.HPACKDecodingError as error:
            step[1] = type(error).__name__
            raise

    hpack.Decoder.decode = recorded


def pytest_sessionfinish():
    with open(os.environ["RECORDED"], "w") as file:
        for record in records:
            if record.steps:
                print(json.dumps([record.kind, record.test, record.is_plain, record.steps]), file=file)


watch_h2()
watch_hpack()
