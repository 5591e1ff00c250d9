"""Workflows of the languages that have no engine here yet: created and kept as they are, and refused at their start."""

from pathlib import Path

from rows import Story, row

FOLDER = Path(__file__).parent / "languages"


def story(language, file):
    refused = rf"Workflow {language}\.1 could not be started: this server cannot run {language} workflows"
    rows = [
        row(f"create -n {language}", rf"(?m)^{language}\.1$"),
        row(f"upload -w {language}", f"{file} was successfully uploaded"),
        row(f"ls -w {language}", rf"{file} +\d+ "),
        row(f"start -w {language}", refused, exits=1),
    ]
    return Story(f"A {language} workflow", rows, files={}, copied=FOLDER / language)


LANGUAGES = (story("cwl", "wf.cwl"), story("snakemake", "Snakefile"), story("yadage", "workflow.yml"))
