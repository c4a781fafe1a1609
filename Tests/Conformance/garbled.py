"""Shows each case a broken server: every answer of the real one garbled in turn.

A run keeps what the server answered. Then each case runs again on these answers, as often as it had answers, and each
time one of them is garbled: in one way nothing is left of it, in the other every value in it is another one. A case
that passes on all broken servers of a kind would pass on any server, so it shows nothing.
"""

import copy

from casebook import NotOffered, judge, same

WAYS = ("empty", "other")
# So many answers of a case are garbled one at a time, spread over all that it got. Only long stories have more.
MOST = 24


class Recorder:
    """A server whose answers are kept."""

    def __init__(self, adapter):
        self.adapter, self.answers = adapter, []

    def __getattr__(self, operation):
        call = getattr(self.adapter, operation)

        def asked(*arguments, **named):
            answer = call(*arguments, **named)
            self.answers.append((operation, copy.deepcopy(answer)))
            return answer

        return asked


class Broken:
    """Answers as before, but for the answers at some places."""

    def __init__(self, answers, places, way):
        self.rest = {}
        for place, (operation, answer) in enumerate(answers):
            # Cases do not change what they are answered, so it needs no copy.
            self.rest.setdefault(operation, []).append(garble(answer, way) if place in places else answer)

    def __getattr__(self, operation):
        def asked(*_, **__):
            waiting = self.rest.get(operation)
            if not waiting:
                raise NotOffered(operation)
            # A case that asks again, because the answer was not good enough, gets the last one.
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

        return asked


def garble(value, way):
    if way == "empty":
        return {dict: {}, list: [], str: "", int: 0, float: 0, bool: False}.get(type(value))
    if isinstance(value, dict):
        return {name: garble(member, way) for name, member in value.items()}
    if isinstance(value, list):
        return [garble(element, way) for element in value] or [{"garbled": True}]
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 7
    return f"garbled {value or ''}"[::-1]


def notices(case, answers, places, way):
    return judge(case, Broken(answers, places, way))[0] != "pass"


def check(case, answers):
    """How many answers were garbled, how many of these the case noticed, and in what it is blind."""
    garbled = noticed = 0
    blind = []
    if judge(case, Broken(answers, (), ""))[0] != "pass":
        return 0, 0, ["its own answers, unchanged"]
    for way in WAYS:
        places = [place for place, (_, answer) in enumerate(answers) if not same(answer, garble(answer, way))]
        places = places[:: -(-len(places) // MOST) or 1]
        found = [place for place in places if notices(case, answers, (place,), way)]
        garbled += len(places)
        noticed += len(found)
        if not found:
            blind.append(f"each answer {way}, in turn")
        if not notices(case, answers, range(len(answers)), way):
            blind.append(f"all answers {way}")
    return garbled, noticed, blind
