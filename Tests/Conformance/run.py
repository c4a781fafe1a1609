"""Runs the cases of the five documents against a server. tools/conformance --help says how."""

import argparse
import collections
import datetime
import importlib
import importlib.util
import json
import pathlib
import signal
import sys
import time

sys.path.append(__file__.rsplit("/", 2)[0])

import casebook
import documents
import garbled

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/report/conformance.md"
SOURCES = {
    "tdlib": "TDLib: Notification API",
    "telegram": "Telegram: handling push notifications",
    "matrix": "Matrix: HTTP notification protocol",
    "icq": "ICQ for iOS 2.6",
    "zego": "ZEGO: update a push notification",
}
RESULTS = ("pass", "FAIL", "not offered")
LONGEST_CASE = 20


def refuse(message, hint=None):
    print(f"conformance: error: {message}", file=sys.stderr)
    if hint:
        print(f"conformance: hint: {hint}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(
        prog="tools/conformance",
        description="Runs what five documents about notifications say against a push server. docs/conformance.md "
        "explains the results, and how to write an adapter for your own server.",
        epilog="exit codes: 0 nothing failed, 1 a case failed or a check of the kit itself, 2 wrong usage",
    )
    parser.add_argument(
        "--adapter", default="bellwire", metavar="NAME|PATH", help="a file in Tests/Conformance/adapters, or any other"
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="ID", help="cases or paragraphs, by the start of the id"
    )
    parser.add_argument("--list", action="store_true", help="print the cases, and the paragraphs without one")
    parser.add_argument("--json", metavar="FILE", help="also write the results as JSON; - for standard output")
    parser.add_argument("--quiet", action="store_true", help="print only what failed, and the numbers")
    parser.add_argument("--seconds", type=int, default=300, help="give up after this time (300)")
    parser.add_argument(
        "--self-check", action="store_true", help="also garble each answer of the server, and count who does not notice"
    )
    parser.add_argument("--documents", metavar="FOLDER", help="check that the list of paragraphs fits the documents")
    parser.add_argument("--write", action="store_true", help="write the results into docs/report/conformance.md")
    parser.add_argument(
        "--check", action="store_true", help="what that page says about this server must be what happened"
    )
    options = parser.parse_args()
    if options.only and (options.write or options.check):
        refuse("docs/report/conformance.md is about all cases", "leave out --only")
    return options


def manifest():
    rows = [line.split("\t") for line in (HERE / "paragraphs.tsv").read_text().splitlines()[1:]]
    names = ("paragraph", "hash", "heading", "about", "reason")
    return {row[0]: dict(zip(names, row)) for row in rows}


def check_manifest(paragraphs):
    """Each paragraph has a case or a reason, and each case a paragraph."""
    told = collections.Counter(case.paragraph for case in casebook.CASES)
    problems = [
        f"{name} has neither a case nor a reason"
        for name, row in paragraphs.items()
        if not told[name] and not row["reason"]
    ]
    problems += [
        f"{name} has a case and a reason why it has none"
        for name, row in paragraphs.items()
        if told[name] and row["reason"]
    ]
    problems += [f"{name} is no paragraph" for name in told if name not in paragraphs]
    ids = collections.Counter(case.id for case in casebook.CASES)
    return problems + [f"{id} is the id of {count} cases" for id, count in ids.items() if count > 1]


def check_documents(folder, paragraphs):
    """The manifest has exactly the paragraphs of the documents."""
    found, problems = documents.find(pathlib.Path(folder)), []
    for source in SOURCES:
        if source not in found:
            problems.append(f"{SOURCES[source]} is not in {folder}")
            continue
        cut = [documents.digest(text) for _, text in documents.cut(source, found[source])]
        known = [row["hash"] for name, row in paragraphs.items() if name.startswith(source + ".")]
        problems += [f"{source}: paragraph {cut.index(one) + 1} is not in the list" for one in cut if one not in known]
        problems += [f"{source}: {one} in the list is no paragraph" for one in known if one not in cut]
        if cut != known and not problems:
            problems.append(f"{source}: the paragraphs have another order")
        print(f"conformance: {source}: {len(cut)} paragraphs in the document, {len(known)} in the list")
    return problems


def load(name):
    place = HERE / "adapters" / f"{name}.py"
    if not place.exists():
        place = pathlib.Path(name)
    if not place.exists():
        refuse(f"there is no adapter {name}", f"the adapters are {', '.join(adapters())}; a path works as well")
    specification = importlib.util.spec_from_file_location("chosen_adapter", place)
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
        return module.Server()
    except (ImportError, OSError) as error:
        refuse(f"the adapter {name} cannot be used: {error}")


def adapters():
    return sorted(file.stem for file in (HERE / "adapters").glob("*.py"))


class OutOfTime(OSError):
    pass


def ring(*_):
    raise OutOfTime(f"no answer in {LONGEST_CASE} s")


def run(adapter, cases, seconds):
    """The result of each case, with the answers that it got."""
    end = time.monotonic() + seconds
    signal.signal(signal.SIGALRM, ring)
    results = []
    try:
        signal.alarm(60)
        adapter.start()
        for case in cases:
            signal.alarm(0)
            server, began = garbled.Recorder(adapter), time.monotonic()
            if began > end:
                results.append((case, "FAIL", f"the {seconds} s were over", 0, []))
                continue
            signal.alarm(LONGEST_CASE)
            word, why = casebook.judge(case, server)
            signal.alarm(0)
            results.append((case, word, why, time.monotonic() - began, server.answers))
    finally:
        signal.alarm(30)
        adapter.stop()
        signal.alarm(0)
    return results


def print_table(results, paragraphs, quiet):
    for case, word, why, _, _ in results:
        if word != "FAIL" and quiet:
            continue
        row = paragraphs.get(case.paragraph, {"about": "?"})
        source, _, paragraph = case.paragraph.partition(".")
        print(f"{source:8}  {paragraph:24.24}  {case.name:30.30}  {word:11}  {row['about'] if word == 'pass' else why}")


def numbers(results):
    return collections.Counter(word for _, word, _, _, _ in results)


def self_check(results):
    """Runs the passed cases on garbled answers: what is blind, and how many answers there were."""
    garbled_answers = noticed = checked = 0
    blind = []
    for case, word, _, _, answers in results:
        if word != "pass":
            continue
        checked += 1
        more, found, faults = garbled.check(case, answers)
        garbled_answers, noticed = garbled_answers + more, noticed + found
        blind += [f"{case.id} does not notice {fault}" for fault in faults]
    planted = casebook.Case(
        "planted", "vacuous", "passes on any server", "", lambda server: casebook.expect(True, "nothing")
    )
    if not garbled.check(planted, [("shown", ["a notification"])])[2]:
        blind.append("the self-check does not find a case that passes on any server")
    silent = len({line.split()[0] for line in blind})
    print(f"conformance: {checked} passed cases were shown {garbled_answers} garbled answers, one at a time")
    print(f"conformance: they noticed {noticed} of these; {silent} cases noticed none, or not all of them together")
    return blind


def report(adapter, version, results, paragraphs):
    return {
        "adapter": adapter.name,
        "version": version,
        "date": datetime.date.today().isoformat(),
        "paragraphs": len(paragraphs),
        "results": dict(numbers(results)),
        "cases": [
            {
                "id": case.id,
                "source": SOURCES[case.paragraph.partition(".")[0]],
                "heading": paragraphs[case.paragraph]["heading"],
                "paragraph": paragraphs[case.paragraph]["about"],
                "title": case.title,
                "oracle": case.oracle,
                "result": word,
                "reason": why,
                "seconds": round(took, 3),
            }
            for case, word, why, took, _ in results
        ],
    }


def section(adapter, version, results, paragraphs):
    """This server's results, as the page has them."""
    today = datetime.date.today().isoformat()
    text = f"### {version}\n\nRun on {today} with `tools/conformance --adapter {adapter.name} --write`.\n\n"
    text += "| document | paragraphs | without a case | cases | pass | FAIL | not offered |\n"
    text += "| --- | --- | --- | --- | --- | --- | --- |\n"
    for prefix, title in [*((f"{source}.", title) for source, title in SOURCES.items()), ("", "together")]:
        own = [result for result in results if result[0].paragraph.startswith(prefix)]
        rows = [row for name, row in paragraphs.items() if name.startswith(prefix)]
        counted = numbers(own)
        without = sum(1 for row in rows if row["reason"])
        cells = [title, len(rows), without, len(own), *(counted[word] for word in RESULTS)]
        text += "| " + " | ".join(map(str, cells)) + " |\n"
    failed = [f"- `{case.id}`: {why}\n" for case, word, why, _, _ in results if word == "FAIL"]
    return text + ("\nWhat failed:\n\n" + "".join(failed) if failed else "\nNothing failed.\n")


def on_page(adapter):
    """The page before this server's results, these, and the rest."""
    begin, end = f"<!-- results of {adapter.name} -->\n", f"<!-- end of {adapter.name} -->\n"
    page = PAGE.read_text()
    if begin not in page:
        page += f"\n{begin}{end}"
    before, _, rest = page.partition(begin)
    found, _, after = rest.partition(end)
    return before + begin, found, end + after


def write_page(adapter, text):
    before, _, after = on_page(adapter)
    PAGE.write_text(f"{before}\n{text}\n{after}")


def check_page(adapter, text):
    """The page has these numbers, and what failed is what it says."""

    def essence(text):
        return [line.partition(":")[0] for line in text.splitlines() if line.startswith(("|", "- "))]

    before, now = essence(on_page(adapter)[1]), essence(text)
    gone, new = [line for line in before if line not in now], [line for line in now if line not in before]
    return [f"docs/report/conformance.md has {line!r} no longer" for line in gone] + [
        f"docs/report/conformance.md does not have {line!r}" for line in new
    ]


def main():
    options = arguments()
    for source in SOURCES:
        importlib.import_module(f"sources.{source}")
    paragraphs = manifest()
    problems = check_manifest(paragraphs)
    if options.documents:
        problems += check_documents(options.documents, paragraphs)
    cases = [case for case in casebook.CASES if not options.only or case.id.startswith(tuple(options.only))]
    order = {name: place for place, name in enumerate(paragraphs)}
    cases.sort(key=lambda case: order.get(case.paragraph, 0))
    if not cases:
        refuse(f"no case begins with {' or '.join(options.only)}", "tools/conformance --list prints them")
    if options.list:
        for case in cases:
            print(f"{case.id:60}  {case.title}  [{case.oracle}]")
        for name, row in paragraphs.items():
            if row["reason"] and not options.only:
                print(f"{name:60}  no case: {row['reason']}")
    elif not options.documents:
        problems += measure(options, cases, paragraphs)
    for problem in problems:
        print(f"conformance: broken: {problem}")
    reasons = sum(1 for row in paragraphs.values() if row["reason"])
    print(f"conformance: {len(paragraphs)} paragraphs, {reasons} of them without a case, {len(casebook.CASES)} cases")
    sys.exit(1 if problems else 0)


def measure(options, cases, paragraphs):
    adapter = load(options.adapter)
    began = time.monotonic()
    version = adapter.version()
    results = run(adapter, cases, options.seconds)
    print_table(results, paragraphs, options.quiet)
    problems = self_check(results) if options.self_check else []
    counted = numbers(results)
    words = ", ".join(f"{counted[word]} {word}" for word in RESULTS)
    print(f"conformance: {version}: {len(results)} cases in {time.monotonic() - began:.0f} s: {words}")
    text = section(adapter, version, results, paragraphs)
    if options.check:
        problems += check_page(adapter, text)
    elif counted["FAIL"]:
        problems.append(f"{counted['FAIL']} cases failed")
    if not counted["pass"] + counted["FAIL"]:
        problems.append("the server offers nothing that a case asks for")
    if options.json:
        found = json.dumps(report(adapter, version, results, paragraphs), indent=1, ensure_ascii=False) + "\n"
        if options.json == "-":
            print(found, end="")
        else:
            pathlib.Path(options.json).write_text(found)
    if options.write:
        write_page(adapter, text)
    return problems


main()
