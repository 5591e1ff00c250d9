"""Workflows of the other languages: a run where there is an engine, else a refusal of the start."""

from pathlib import Path

from rows import Story, row

FOLDER = Path(__file__).parent / "languages"


def yadage():
    rows = [
        row("create -n yadage", r"(?m)^yadage\.1$"),
        row("upload -w yadage", "workflow.yml was successfully uploaded"),
        row("ls -w yadage", r"workflow.yml +\d+ "),
        row("start -w yadage", r"yadage (is|has|has been) (pending|queued|running|finished)"),
        row("status -w yadage", r"finished +1/1", until=True),
        row("logs -w yadage", r"MainThread \| INFO \| workflow completed successfully\."),
        row("ls -w yadage", r"greet/out.txt +4 ", title="ls -w yadage after its end"),
    ]
    return Story("A yadage workflow", rows, files={}, copied=FOLDER / "yadage")


def cwl():
    rows = [
        row("create -n cwl", r"(?m)^cwl\.1$"),
        row("upload -w cwl", "wf.cwl was successfully uploaded"),
        row("ls -w cwl", r"wf.cwl +\d+ "),
        row("start -w cwl", r"cwl (is|has|has been) (pending|queued|running|finished)"),
        row("status -w cwl", r"finished +1/1", until=True),
        row("logs -w cwl", r"MainThread \| INFO \| Final process status is success"),
        row("ls -w cwl", r"outputs/out.txt +4 ", title="ls -w cwl after its end"),
    ]
    return Story("A cwl workflow", rows, files={}, copied=FOLDER / "cwl")


def story(language, file):
    refused = rf"Workflow {language}\.1 could not be started: this server cannot run {language} workflows"
    rows = [
        row(f"create -n {language}", rf"(?m)^{language}\.1$"),
        row(f"upload -w {language}", f"{file} was successfully uploaded"),
        row(f"ls -w {language}", rf"{file} +\d+ "),
        row(f"start -w {language}", refused, exits=1),
    ]
    return Story(f"A {language} workflow", rows, files={}, copied=FOLDER / language)


LANGUAGES = (cwl(), story("snakemake", "Snakefile"), yadage())
