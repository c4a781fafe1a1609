"""Pushes to registrations whose keys we hold: TLS, signature, decryption, commit, answer.

usage: bench_register.py PATH_OF_BENCH [--rounds N] [--folder DIR]

The server has one core, the load another; loopback only. Every push is encrypted for its registration and signed. It is
on the disk before the answer, and then a client of its account's engine is told. The yardstick is the bare decryption
in C, measured before and after each round: the bar is 80 us where that takes 36.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from bench_push import Bars, Bench, Server, median

SIZES = (1_000, 100_000)
MOST, AIM = 80 / 36, 60 / 36


def bare_decryption(program):
    """Microseconds."""
    done = subprocess.run(
        ["taskset", "-c", "0", program, "crypto", "--rounds", "1", "--seconds", "0.2"],
        check=False,
        capture_output=True,
        text=True,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("decrypt 200 B, fast C"))
    return 1_000_000 / float(line.split()[7])


def make(program, folder, count):
    subprocess.run([program, "register-make", "--folder", folder, "--endpoints", str(count)], check=True)


def start(program, folder):
    """In a new process, as a server starts."""
    done = subprocess.run([program, "register-start", "--folder", folder], check=True, capture_output=True, text=True)
    return {name: float(value) for name, value in (word.split("=") for word in done.stdout.split())}


class Registrations(Bench):
    """The server serves existing registrations."""

    def command(self, service, options):
        command = super().command(service, options)
        command[command.index("--folder") + 1] = str(self.state)
        return command


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default=".build")
    arguments = parser.parse_args()
    program, bars, look_ups = os.path.realpath(arguments.bench), Bars(), {}
    # On a disk and not in memory, because the promise is about the disk.
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name).resolve()
        folder.chmod(0o755)
        bench = Registrations(program, folder)
        for count in SIZES:
            print(f"\n{count:,} registrations", flush=True)
            bench.state = folder / f"registrations{count}"
            make(program, str(bench.state), count)
            starts = [start(program, str(bench.state)) for _ in range(3)]
            look_ups[count] = median(starts, "look_up_ns")
            seconds = median(starts, "seconds")
            print(f"      open after {seconds:.2f} s, a look-up {look_ups[count]:.0f} ns")
            if count == max(SIZES):
                bars.check(seconds < 3, f"open after {seconds:.2f} s, below 3")
            runs = []
            for _ in range(arguments.rounds):
                bare = bare_decryption(program)
                with Server(bench, "bellwire") as server:
                    runs.append(
                        bench.load(
                            "bellwire",
                            server.pid,
                            4,
                            mode="registrations",
                            publishers=64,
                            targets=bench.state / "targets",
                        )
                    )
                bare = (bare + bare_decryption(program)) / 2
                runs[-1]["ratio"] = runs[-1]["cpu_us"] / bare
                print(
                    f"      {runs[-1]['cpu_us']:.2f} us CPU a push, {runs[-1]['ratio']:.2f} times the"
                    f" decryption, {runs[-1]['rate']:.0f}/s, {runs[-1]['told']:.2f} updates and"
                    f" {runs[-1]['pages']:.2f} pages written, answered"
                    f" {runs[-1]['answer_p50']:.2f} / {runs[-1]['answer_p99']:.2f} ms"
                )
            if count > min(SIZES):
                # Most accounts have no client and are not in memory; this prints what that costs.
                continue
            ratio = median(runs, "ratio")
            bars.check(ratio <= MOST, f"{ratio:.2f} times the decryption, at most {MOST:.2f}")
            bars.aim(ratio <= AIM, f"{ratio:.2f} times the decryption, at most {AIM:.2f}")
    flat = look_ups[max(SIZES)] / look_ups[min(SIZES)]
    bars.check(flat < 4, f"a look-up among {max(SIZES):,} takes {flat:.1f} times that among {min(SIZES):,}, below 4")
    return 1 if bars.missed else 0


if __name__ == "__main__":
    sys.exit(main())
