"""Workflows of the other languages: a run where there is an engine, else a refusal of the start."""

from pathlib import Path

from rows import Story, row

FOLDER = Path(__file__).parent / "languages"


def runs(language, file, log, output, jobs=1):
    rows = [
        *created(language, file),
        row(f"start -w {language}", rf"{language} (is|has|has been) (pending|queued|running|finished)"),
        row(f"status -w {language}", rf"finished +{jobs}/{jobs}", until=True),
        row(f"logs -w {language}", rf"MainThread \| INFO \| {log}"),
        row(f"ls -w {language}", rf"{output} +4 ", title=f"ls -w {language} after its end"),
    ]
    return Story(f"A {language} workflow", rows, files={}, copied=FOLDER / language)


def created(language, file):
    return [
        row(f"create -n {language}", rf"(?m)^{language}\.1$"),
        row(f"upload -w {language}", f"{file} was successfully uploaded"),
        row(f"ls -w {language}", rf"{file} +\d+ "),
    ]


LANGUAGES = (
    runs("cwl", "wf.cwl", "Final process status is success", "outputs/out.txt"),
    # Snakemake itself and its report are jobs of the run as well.
    runs("snakemake", "Snakefile", r"2 of 2 steps \(100%\) done", "results/out.txt", jobs=3),
    runs("yadage", "workflow.yml", r"workflow completed successfully\.", "greet/out.txt"),
)
