"""The reader of a recipe, and the shell that the commands are typed into."""

import asyncio
import contextlib
import pathlib
import shlex
import subprocess

from kit.checks import Failed
from steps import Command, Saved, Skipped, steps

END = "--- the command has ended:"


class Shell:
    """One shell for a page, so that later commands see the variables of earlier ones."""

    def __init__(self, session):
        self.process = subprocess.Popen(
            [*session.within, "bash"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=session.environment,
        )

    def end(self):
        """Also ends what the page has started in the background."""
        with contextlib.suppress(OSError):
            self.process.stdin.write("kill $(jobs -p) 2> /dev/null\nexit\n")
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            # A command that does not end.
            self.process.kill()
            self.process.wait(20)

    def run(self, text):
        """The output of a command, and its exit code."""
        # The commands must not read the shell's input.
        self.process.stdin.write(f"eval {shlex.quote(text)} < /dev/null\nprintf '%s %d\\n' '{END}' $?\n")
        self.process.stdin.flush()
        printed = ""
        for line in self.process.stdout:
            if END in line:
                rest, _, code = line.partition(END)
                return printed + rest + ("\n" if rest else ""), int(code)
            printed += line
        raise Failed("recipes: FAILED: the shell has ended")


# Beside other gates, a compiler takes its time.
PATIENCE = 240


class Reader:
    """Does what a page says: types at a shell, looks at a screen and clicks there."""

    def __init__(self, page, check, shell, recorder, room, others):
        self.page, self.check, self.shell = page, check, shell
        self.recorder, self.room, self.others = recorder, room, others
        self.skipped = []

    async def follow(self):
        try:
            found = steps(pathlib.Path(self.page).read_text())
        except ValueError as error:
            raise Failed(f"recipes: FAILED: {self.page}: {error}") from None
        for step in found:
            place = f"{pathlib.Path(self.page).name}:{step.line}"
            if isinstance(step, Command):
                typed = asyncio.to_thread(self.shell.run, step.text)
                try:
                    printed, code = await asyncio.wait_for(typed, PATIENCE)
                except TimeoutError:
                    raise Failed(f"recipes: FAILED: {place}: {step.text}\ndid not end") from None
                self.check(
                    code == 0 and step.matches(printed), f"{place}: {step.text}\nexit code {code}, printed:\n{printed}"
                )
            elif isinstance(step, Saved):
                pathlib.Path(step.name).write_text(step.text)
            elif isinstance(step, Skipped):
                self.skipped.append(step.why)
            else:
                words = step.words.split(" / ")
                verb = step.verb.replace(" ", "_")
                doing = getattr(self, verb, None) or getattr(self.others, verb)
                try:
                    done = await doing(*words)
                except Exception as error:
                    raise Failed(f"recipes: FAILED: {place}: {step.verb} {step.words}\n{error!r}") from error
                seen = [call[3:6] for call in self.recorder.visible.values()]
                self.check(done, f"{place}: {step.verb} {step.words}\non the screen: {seen}")

    def find(self, words):
        for number, call in sorted(self.recorder.visible.items()):
            if words in call[3] or words in call[4]:
                return number
        return None

    async def becomes(self, condition):
        for _ in range(1500):
            if condition():
                return True
            await asyncio.sleep(0.01)
        return False

    async def shown(self, words):
        return await self.becomes(lambda: self.find(words) is not None)

    async def pictured(self, words):
        """It is shown, and has a picture by then or gets one."""

        def has_picture():
            number = self.find(words)
            return number is not None and "image-data" in self.recorder.visible[number][6]

        return await self.becomes(has_picture)

    async def gone(self, words):
        return await self.becomes(lambda: self.find(words) is None)

    async def silent(self, words):
        """No such notification appears within a second."""
        await asyncio.sleep(1)
        return self.find(words) is None

    async def badge(self, number):
        def is_shown():
            _, badge = self.recorder.badges[-1] if self.recorder.badges else ("", {"count": 0})
            return badge["count"] == int(number)

        return await self.becomes(is_shown)

    async def click(self, words):
        return await self.choose(words, None)

    async def choose(self, words, label):
        if not await self.shown(words):
            return False
        number = self.find(words)
        actions = self.recorder.visible[number][5]
        keys = dict(zip(actions[1::2], actions[0::2]))
        if label is not None and label not in keys:
            return False
        self.recorder.user_chooses(number, keys[label] if label else "default")
        return True

    async def reply(self, words, text):
        if not await self.shown(words):
            return False
        self.recorder.signal("NotificationReplied", "us", [self.find(words), text])
        return True

    async def say(self, words):
        await asyncio.to_thread(self.room.say, words)
        return True

    async def redact(self, words):
        await asyncio.to_thread(self.room.redact, words)
        return True

    async def until(self, command, output):
        """Waits until the command prints that."""
        for _ in range(300):
            printed, _ = await asyncio.to_thread(self.shell.run, command)
            if printed.strip() == output:
                return True
            await asyncio.sleep(0.1)
        return False
