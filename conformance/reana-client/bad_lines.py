"""A whole loop through a line that delays, cuts and repeats.

No command may say that something has happened that has not; one that is sent twice does no harm; one that has failed says
so, and the same command again leads to where the first would have led. Runs last until the file `go` is there, so that
what overlaps with them does so for certain.
"""

from hashlib import sha256

from faults import both, broken, cut, late, lost, twice
from rows import Story, row, unreliable

BIG = "".join(f"{number} of many lines\n" for number in range(60_000))
SUM = sha256(BIG.encode()).hexdigest()
NO_BIG_FILE = r"\A(?![\s\S]*big.txt)[\s\S]*small.txt"

ROWS = [
    unreliable("ping", late("GET", "/api/you"), prints="Status: Connected"),
    # What has not come whole has not come: the numbers tell that nothing was made of it.
    unreliable(
        "create -n torn", broken("POST", "/api/workflows", after=100), prints="Cannot create workflow torn", exits=1
    ),
    # A run that nobody has heard of lies there and does nothing; the next one has a number of its own.
    unreliable("create -n torn", lost("POST", "/api/workflows"), prints="Cannot create workflow torn", exits=1),
    row("create -n torn", r"(?m)^torn\.2$"),
    unreliable("create -n torn", both("POST", "/api/workflows"), prints=r"(?m)^torn\.[34]$"),
    row("list -w torn", r"(torn +[1-4] .*created\s*){4}\Z"),
    # An upload is whole or is not there.
    unreliable(
        "upload -w torn.2",
        broken("POST", "big.txt", after=600_000),
        prints=r"Something went wrong while uploading .*big.txt",
        exits=1,
    ),
    row("ls -w torn.2", NO_BIG_FILE),
    unreliable("upload -w torn.2", lost("POST", "big.txt"), prints="Something went wrong while uploading", exits=1),
    unreliable(
        "upload -w torn.2",
        both("POST", "big.txt"),
        late("POST", "small.txt"),
        prints=r"\A(?![\s\S]*wrong)[\s\S]*big.txt was successfully uploaded",
    ),
    # A start that was carried out is not carried out again.
    unreliable("start -w torn.2", lost("POST", "/start"), prints=r"Cannot start workflow torn\.2", exits=1),
    row("start -w torn.2", r"could not be started because it (is|has)", exits=1, title="start of what has begun"),
    row("status -w torn.2", "running", until=True, title="status of what has begun"),
    row("logs -w torn.2", SUM, until=True, title="logs of what has begun"),
    unreliable("status -w torn.2", cut("GET", "/status"), prints="ERROR|Error|error", exits=1),
    unreliable("logs -w torn.2", cut("GET", "/logs", after=200), prints="ERROR|Error|error", exits=1),
    row("upload -w torn.2 go", "go was successfully uploaded"),
    row("status -w torn.2", r"finished +3/3", until=True, title="status of what was begun once"),
    row("download -w torn.2 began.txt -o -", r"\Abegan\n\Z"),
    # A download is whole or is not there.
    unreliable(
        "download -w torn.2", cut("GET", "workspace/data.*big.txt", after=500_000), prints="could not be", exits=1
    ),
    unreliable("download -w torn.2 data", cut("GET", "workspace/data", after=900), prints="could not be", exits=1),
    row("download -w torn.2", "began.txt downloaded"),
    # Of two starts at the same time one wins, and nothing runs twice.
    row("create -n once", r"once\.1"),
    row("upload -w once", "big.txt was successfully uploaded"),
    row("upload -w once go", "go was successfully uploaded", title="upload -w once go"),
    unreliable("start -w once", both("POST", "/start"), prints="could not be started because it (is|has)", exits=1),
    row("status -w once", r"finished +3/3", until=True),
    row("download -w once began.txt -o -", r"\Abegan\n\Z"),
    # A restart holds the workspace, so there is no second one beside it.
    row("rm -w torn.2 go", "go was successfully deleted"),
    unreliable("restart -w torn.2", both("POST", "/start"), prints=r"because torn\.2\.1, which shares its", exits=1),
    row("list -w torn", r"\A(?![\s\S]*2\.2)[\s\S]*torn +2\.1 ", title="list of what was restarted once"),
    row("upload -w torn.2 go", "go was successfully uploaded", title="upload into a restart"),
    row("status -w torn.2.1", r"finished +3/3", until=True),
    row("rm -w torn.2 go", "go was successfully deleted", title="rm of the upload"),
    unreliable(
        "restart -w torn.2 -f other.yaml",
        both("POST", "/(re)?start"),
        prints=r"because torn\.2\.2, which shares its",
        exits=1,
    ),
    unreliable("stop -w torn.2.2 --force", lost("PUT", "/status"), prints="Cannot stop workflow", exits=1),
    unreliable("stop -w torn.2.2 --force", twice("PUT", "/status"), prints=r"torn\.2\.2 has been stopped"),
    # What is moved or deleted twice is so once, and the second of them finds nothing.
    unreliable("mv data/small.txt moved.txt -w torn.2", lost("PUT", "move_files"), prints="", exits=1),
    row("mv data/small.txt moved.txt -w torn.2", "data/small.txt", exits=1, title="mv of what has been moved"),
    row("download -w torn.2 moved.txt -o -", r"\Asmall\n\Z"),
    unreliable("rm -w torn.2 moved.txt", twice("DELETE", "moved.txt"), prints="did not match any existing file", exits=1),
    unreliable("prune -w torn.2", twice("POST", "/prune"), prints="correctly pruned"),
    unreliable("secrets-add --env A=aaaaaaaa", twice("POST", "/secrets"), prints="already exists", exits=1),
    unreliable("secrets-add --env A=bbbbbbbb --overwrite", both("POST", "/secrets"), prints="successfully uploaded"),
    row("secrets-list", r"NAME +TYPE\s+A +env\s*\Z", title="secrets-list: only one of them"),
    unreliable("secrets-delete A", lost("DELETE", "/secrets"), prints="", exits=1),
    row("secrets-delete A", "A do not exist", exits=1, title="secrets-delete of what has been deleted"),
    # A part of `run` that has failed is not followed by the next.
    unreliable("run -n part", broken("POST", "big.txt", after=100), prints="Something went wrong", exits=1),
    row("status -w part", r"part +1 .*created"),
    unreliable("delete -w part", lost("PUT", "/status"), prints="Cannot delete workflow", exits=1),
    row("delete -w part", "(is already|has been) deleted", title="delete of what has been deleted"),
    unreliable("delete -w torn --include-all-runs", both("PUT", "/status"), prints="All workflows named '?torn'?"),
    row("list", r"\A(?![\s\S]*torn)[\s\S]*once +1 .*finished", title="list of what is left"),
]

YAML = """
inputs:
  directories:
    - data
outputs:
  files:
    - data/big.txt
    - began.txt
workflow:
  type: serial
  specification:
    steps:
      - name: begin
        environment: 'debian:12'
        commands:
          - echo began >> began.txt
          - sha256sum data/big.txt
      - name: hold
        environment: 'debian:12'
        commands:
          - until [ -e go ]; do sleep 0.1; done
"""

FILES = {
    "reana.yaml": YAML,
    "other.yaml": YAML.replace("echo began", "echo again"),
    "data/big.txt": BIG,
    "data/small.txt": "small\n",
    "data/empty.txt": "",
    "go": "go\n",
}

BAD_LINES = Story("Through a line that delays, cuts and repeats", ROWS, FILES)
