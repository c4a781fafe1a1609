"""The shell of a recipe's reader."""

import contextlib
import shlex
import subprocess

from kit.checks import Failed

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
