#!/usr/bin/env python3
"""Drives REANA's clients, command by command, against a server of this checkout: run.py [--write] ENVIRONMENTS

ENVIRONMENTS is the folder that install.sh has filled. Exit codes and what is printed are compared with the stories', every reply
with the OpenAPI document that the client brings. The tables in conformance/README.md have to say the same; --write
writes them. The last line counts.
"""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bad_lines import BAD_LINES
from commands import COMMANDS
from demos import DEMOS
from drive import OF_TESTS, drive
from languages import LANGUAGES
from layouts import LAYOUT, TESTS
from quotas import QUOTAS
from rows import NEWER, SHARING, STABLE
from two_people import TWO_PEOPLE

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
KNOWN = HERE / "known-differences.yaml"
STORIES = (COMMANDS, TWO_PEOPLE, QUOTAS, LAYOUT, TESTS, DEMOS, *LANGUAGES, BAD_LINES)
# The one between sends its requests as the stable one does: it is driven where its commands differ.
STORIES_OF = {STABLE: STORIES, SHARING: (COMMANDS, TWO_PEOPLE, LAYOUT, TESTS), NEWER: STORIES}
CLIENTS = tuple(STORIES_OF)


def check_titles():
    titles = [row.title for story in STORIES for row in story.rows]
    again = sorted({title for title in titles if titles.count(title) > 1})
    if again:
        raise SystemExit(f"Two rows have the same title: {', '.join(again)}.")


def known_differences():
    """`CLIENT: COMMAND` with a reason, one a line: as simple as YAML can be."""
    lines = [line for line in KNOWN.read_text().splitlines() if line.strip() and not line.startswith("#")]
    pairs = [re.fullmatch(r'"([^"]+)": "([^"]+)"', line) for line in lines]
    if not all(pairs):
        raise SystemExit(f'{KNOWN.name}: a line has to be "CLIENT: COMMAND": "REASON".')
    return {pair.group(1): pair.group(2) for pair in pairs}


def tables(results, known):
    return "\n\n".join(f"### {story.title}\n\n{table(story, results, known)}" for story in STORIES)


def table(story, results, known):
    titles = dict.fromkeys(row.title for row in story.rows)
    lines = [f"| command | {' | '.join(CLIENTS)} |", f"|---{'|---' * len(CLIENTS)}|"]
    for title in titles:
        cells = [cell(results[client][0], client, title, known) for client in CLIENTS]
        lines.append(f"| {shown(title)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def shown(title):
    """What happens to a command on its way is no part of it."""
    command, *happens = title.split(": ", 1)
    return f"`{command}`: {happens[0]}" if happens else f"`{command}`"


def cell(problems, client, title, known):
    if title not in problems:
        return "–"
    if problems[title] is None:
        return "yes"
    return f"no: {known.get(f'{client}: {title}', 'see the run')}"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--write"]
    environments = Path(arguments[0]).resolve()
    check_titles()
    with ThreadPoolExecutor(len(CLIENTS)) as pool:
        results = dict(zip(CLIENTS, pool.map(lambda client: drive(client, environments, STORIES_OF[client]), CLIENTS)))
    known = known_differences()
    failures = report(results, known)
    text = README.read_text()
    begin, end = "<!-- the run writes from here -->\n", "\n<!-- to here -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    written = f"{before}{begin}{tables(results, known)}{end}{after}"
    if "--write" in sys.argv:
        README.write_text(written)
    elif written != text:
        failures.append("conformance/README.md says something else: run it with --write, and look at what has changed.")
    commands = sum(len(problems) for problems, _, _ in results.values())
    replies = sum(looked_at for _, _, looked_at in results.values())
    total = commands + replies
    print("\n".join(failures))
    print(f"Checked: {commands} commands of REANA's clients, and {replies} replies as these clients read them.")
    print(f"{total - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


def report(results, known):
    """What went wrong and is not known to; and what is known to and did not."""
    failures, seen = [], set()
    for client, (problems, faults, _) in results.items():
        for fault in faults:
            name = f"{client}: {fault.split(': ')[0]}"
            if name not in known:
                failures.append(f"{client} refuses a reply: {fault}")
            seen.add(name)
        for title, problem in problems.items():
            name = f"{client}: {title}"
            if problem is None and name in known:
                failures.append(f"{name} works by now: take it out of {KNOWN.name}.")
            elif problem is not None and name not in known:
                failures.append(problem)
            seen.add(name)
    if OF_TESTS:
        failures.extend(f"{name} of {KNOWN.name} is no command or reply." for name in known if name not in seen)
    return failures


main()
