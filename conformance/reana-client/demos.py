"""One analysis in all four languages, laid out as REANA's own demos are: a specification per language at the root, the workflows in
folders, paths in them from the root, and REANA's tests of each."""

from pathlib import Path

from rows import NOT_STABLE, Story, row

HERE = Path(__file__).parent
# Snakemake itself and its report are jobs of the run as well.
LANGUAGES = {"serial": ("reana.yaml", 3), "cwl": ("reana-cwl.yaml", 2), "yadage": ("reana-yadage.yaml", 2), "snakemake": ("reana-snakemake.yaml", 4)}


def demo(language, file, jobs):
    name = f"dice-{language}"
    return [
        row(f"run -n {name} -f {file}", rf"code/count.py was successfully uploaded[\s\S]*{name}\.1 (is|has|has been) "),
        row(f"status -w {name}", rf"finished +{jobs}/{jobs}", until=True),
        row(f"test -w {name}", r"6 passed, 0 failed", only=NOT_STABLE),
    ]


DEMOS = Story(
    "An analysis laid out as REANA's demos",
    [
        *(one for language, (file, jobs) in LANGUAGES.items() for one in demo(language, file, jobs)),
        row("restart -w dice-cwl", r"dice-cwl\.1\.1 (is|has)"),
        row("status -w dice-cwl.1.1", r"finished +2/2", until=True),
    ],
    files={},
    copied=HERE / "demos",
)
