"""Workflows of the other languages: a run where there is an engine, else a refusal of the start."""

from pathlib import Path

from rows import Story, row

FOLDER = Path(__file__).parent / "languages"


def runs(language, file, log, output):
    rows = [
        *created(language, file),
        row(f"start -w {language}", rf"{language} (is|has|has been) (pending|queued|running|finished)"),
        row(f"status -w {language}", r"finished +1/1", until=True),
        row(f"logs -w {language}", rf"MainThread \| INFO \| {log}"),
        row(f"ls -w {language}", rf"{output} +4 ", title=f"ls -w {language} after its end"),
    ]
    return Story(f"A {language} workflow", rows, files={}, copied=FOLDER / language)


def refused(language, file):
    sentence = rf"Workflow {language}\.1 could not be started: this server cannot run {language} workflows"
    rows = [*created(language, file), row(f"start -w {language}", sentence, exits=1)]
    return Story(f"A {language} workflow", rows, files={}, copied=FOLDER / language)


def created(language, file):
    return [
        row(f"create -n {language}", rf"(?m)^{language}\.1$"),
        row(f"upload -w {language}", f"{file} was successfully uploaded"),
        row(f"ls -w {language}", rf"{file} +\d+ "),
    ]


LANGUAGES = (
    runs("cwl", "wf.cwl", "Final process status is success", "outputs/out.txt"),
    refused("snakemake", "Snakefile"),
    runs("yadage", "workflow.yml", r"workflow completed successfully\.", "greet/out.txt"),
)
