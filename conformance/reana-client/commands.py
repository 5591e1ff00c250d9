"""Every command that a client has for one's own runs, one after the other."""

from rows import NEWER, NOT_STABLE, Story, row


ROWS = [
    row("version"),
    row("server-add {server}", "Saved REANA server", only=(NEWER,), title="server-add"),
    row("server-use {server}", "Selected REANA server", only=(NEWER,), title="server-use"),
    row("ping", r"Authenticated as: .*admin@localhost[\s\S]*Status: Connected"),
    row("info", r"List of supported compute backends: local, kubernetes"),
    row("quota-show --resources", r"cpu\ndisk"),
    row("quota-show --resource cpu", r"\d+ used"),
    row("quota-show --resource disk -h", r"Bytes used"),
    row("list", "NAME +RUN_NUMBER +CREATED +STARTED +ENDED +STATUS"),
    row("validate -f reana.yaml", "[Vv]alid REANA specification file"),
    row("validate -f broken.yaml", "nextflow", exits=1),
    row("create -n fit -f reana.yaml", r"(?m)^fit\.1$"),
    row("create -n a.b -f reana.yaml", 'illegal character "."', exits=1),
    row("upload -w fit", "code/hello.sh was successfully uploaded"),
    row("upload -w fit data", "data/deep/b.csv was successfully uploaded", title="upload FOLDER"),
    row("start -w nothing", "that workflow does not exist|REANA_WORKON", exits=1, title="start of what is not there"),
    row("secrets-add --env PASSWORD=hunter22 --file key.txt", "PASSWORD, key.txt were successfully uploaded"),
    row("secrets-add --env PASSWORD=other", "already exists", exits=1, title="secrets-add again"),
    row("secrets-add --env PASSWORD=hunter23 --overwrite", "PASSWORD were successfully uploaded"),
    row("secrets-list", r"PASSWORD +env[\s\S]*key.txt +file"),
    row("start -w fit -p name=Ada", "fit (is|has|has been) (pending|queued|running|finished)"),
    row("status -w fit", r"finished +3/3", until=True),
    row("status -w fit -v --json", '"status": "finished"', title="status -v --json"),
    row("logs -w fit", r"hello Ada[\s\S]*password \*{8}\n"),
    row("logs -w fit --filter step=hello", "Step: hello", title="logs --filter"),
    row("logs -w fit --json", '"job_name": "hello"'),
    row("logs -w fit --follow -i 1", "Workflow has completed", only=NOT_STABLE),
    row("ls -w fit", r"code/hello.sh[\s\S]*results/out.txt +10 "),
    row("ls -w fit results/* --json", '"name": "results/out.txt"', title="ls GLOB --json"),
    row("ls -w fit --filter name=out", "results/out.txt", title="ls --filter"),
    row("du -w fit -s", r"(?m)^\d+ +\.\s*$"),
    row("du -w fit --filter name=results/out.txt", "results/out.txt", title="du --filter"),
    row("download -w fit", "results/out.txt downloaded"),
    row("download -w fit data/a.csv -o -", "1,2", title="download -o -"),
    row("download -w fit data", "download_.*zip downloaded", title="download FOLDER"),
    row("download -w fit absent.txt", "absent.txt does not exist", exits=1, title="download of what is not there"),
    row("mv data moved -w fit", "data was successfully moved to moved"),
    row("rm -w fit moved/*.csv", "moved/a.csv was successfully deleted", title="rm GLOB"),
    row("rm -w fit nothing", "nothing did not match any existing file", exits=1, title="rm of what is not there"),
    row("list -v", r"fit +1 .* finished"),
    row("list --json", '"name": "fit"'),
    row("list -w fit --filter status=finished", "fit +1", title="list -w --filter"),
    row("list --sort size --include-workspace-size", "SIZE", title="list --sort"),
    row("list --sessions", "SESSION_TYPE"),
    row("restart -w fit -p name=Eve", r"fit\.1\.1 (is|has)"),
    row("status -w fit.1.1", r"finished +3/3", until=True, title="status of a restart"),
    row("restart -w fit -f other.yaml", r"fit\.1\.2 (is|has)"),
    row("status -w fit.1.2", r"finished +1/1", until=True, title="status of the restarted run"),
    row("diff fit.1 fit.1.2", "Differences in (workflow|reana_specification)|echo other", title="diff"),
    row("retention-rules-list -w fit.1.2", r"\*\*/\*\.tmp +5 .* active"),
    row("prune -w fit", "correctly pruned"),
    row("ls -w fit", "code/hello.sh", title="ls afterwards"),
    row("open -w fit jupyter", r"/[0-9a-f-]{36}\?token="),
    row("open -w fit jupyter", "already open", exits=1, title="open again"),
    row("list --sessions", r"fit +1\.2 .* jupyter", title="list --sessions of an open one"),
    row("close -w fit", "session .* (has been|was successfully) closed"),
    row("close -w fit", "no open interactive session", exits=1, title="close again"),
    row("share-add -w fit --user bob@example.org", "User with email 'bob@example.org' does not exist", exits=1, only=NOT_STABLE),
    row("share-status -w fit", "not shared with anyone", only=NOT_STABLE),
    row("share-remove -w fit --user bob@example.org", "User with email 'bob@example.org' does not exist", exits=1, only=NOT_STABLE),
    row("list --shared", "fit +1", only=NOT_STABLE),
    row("run -n long -f long.yaml", r"long\.1"),
    row("status -w long", "running", until=True, title="status of a long run"),
    row("stop -w long --force", "long has been stopped|successfully stopped"),
    row("delete -w long", "long(\\.1)? has been deleted|have been deleted"),
    row("delete -w fit --include-all-runs", "All workflows named '?fit'? (have been|successfully) deleted"),
    row("secrets-delete NOPE", "NOPE do not exist", exits=1),
    row("secrets-delete PASSWORD key.txt", "PASSWORD, key.txt were successfully deleted"),
    row("list --all", r"fit +1 .* deleted"),
]

REANA_YAML = """
version: 0.9.4
inputs:
  files:
    - code/hello.sh
  directories:
    - data
  parameters:
    name: you
outputs:
  files:
    - results/out.txt
workflow:
  type: serial
  specification:
    steps:
      - name: hello
        environment: 'debian:12'
        commands:
          - bash code/hello.sh ${name}
      - name: secret
        environment: 'debian:12'
        commands:
          - echo password $$PASSWORD
          - cat $$REANA_SECRETS_DIR/key.txt
"""

STEP = "workflow: {type: serial, specification: {steps: [{environment: 'debian:12', commands: ['%s']}]}}\n"

FILES = {
    "reana.yaml": REANA_YAML,
    "broken.yaml": "inputs: {}\nworkflow: {type: nextflow, specification: {}}\n",
    "other.yaml": "inputs: {files: [code/hello.sh]}\nworkspace: {retention_days: {'**/*.tmp': 5}}\n" + STEP % "echo other",
    "long.yaml": "inputs: {parameters: {}}\n" + STEP % "sleep 600",
    "code/hello.sh": "mkdir -p results\necho hello $1 | tee results/out.txt\n",
    "data/a.csv": "1,2\n",
    "data/deep/b.csv": "3,4\n",
    "key.txt": "a key that is long enough\n",
}

COMMANDS = Story("Command by command", ROWS, FILES)
