"""An analysis as others lay theirs out, unchanged; and our smallest one, with REANA's own tests."""

from pathlib import Path

from rows import NOT_STABLE, Story, row

HERE = Path(__file__).parent
HELLO = HERE.parent.parent / "examples" / "hello"

LAYOUT = Story(
    "An analysis in folders",
    [
        row("validate", "[Vv]alid REANA specification file", title="validate"),
        row("run -w nights", r"data/2025/.notes was successfully uploaded[\s\S]*nights\.1 (is|has|has been) ", title="run"),
        row("status -w nights", r"finished +4/4", until=True),
        row("ls -w nights results/**/*.svg", r"results/plots/2025/night-1.svg +\d+ [\s\S]*results/plots/first.svg"),
        row("logs -w nights --filter step=summarise", r"(?m)^5$", title="logs --filter of a step"),
        row(
            "download -w nights",
            r"number-of-peaks.txt downloaded[\s\S]*download_nights.*svg.*zip downloaded[\s\S]*zip downloaded",
        ),
        row("download -w nights results/tables/night-2.csv -o -", r"\A00:20,90\n03:10,22.5\n\Z"),
        row("download -w nights results/plots/2025 -o -", "<title>Peaks above the threshold</title>"),
        row("restart -w nights -p threshold=60", r"nights\.1\.1 (is|has)"),
        row("status -w nights.1.1", r"finished +4/4", until=True),
        row("download -w nights.1.1 results/number-of-peaks.txt -o -", r"\A2\n\Z"),
        row("diff nights.1 nights.1.1", "DIFFERENCES IN|ifferences in", title="diff of a run and its restart"),
        row("delete -w nights.1 --include-all-restarts", "including its restarts have been deleted", only=NOT_STABLE),
    ],
    files={},
    copied=HERE / "layout",
)

FAILING = """
Feature: What is not so

    Scenario: Nobody knows this file
        When the workflow is finished
        Then the workspace should include "results/farewells.txt"
"""

TESTS = Story(
    "REANA's tests of an analysis",
    [
        row("run -f in-image.yaml -n hello", r"hello\.1 (is|has|has been) "),
        row("test -w nothing", "Could not find workflow", exits=1, only=NOT_STABLE, title="test of what is not there"),
        row("status -w hello", r"finished +3/3", until=True),
        row("test -w hello", r"6 passed, 0 failed", only=NOT_STABLE),
        row("test -w hello -n failing.feature", r"0 passed, 1 failed", exits=1, only=NOT_STABLE),
    ],
    files={"failing.feature": FAILING},
    copied=HELLO,
)
