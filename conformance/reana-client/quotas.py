"""A person with quotas: an upload and a job that need more, what the client says of it, and how there is room again."""

from rows import LIMITED, NEWER, Story, row

EXCEEDED = "User quota exceeded"


def limited(command, prints="", **others):
    return row(command, prints, by=LIMITED, title=f"{others.pop('title', command)} (with quotas)", **others)


ROWS = [
    limited("server-add {server}", "Saved REANA server", only=(NEWER,)),
    limited("server-use {server}", "Selected REANA server", only=(NEWER,)),
    limited("quota-show --resource disk", r"\A\s*0 out of 1000000 used \(0%\)"),
    limited("quota-show --resource cpu", r"\A\s*0 out of 3000 used \(0%\)"),
    limited("quota-show --resource disk -h", r"out of 976.56 KiB used", title="quota-show of bytes"),
    limited("create -n full -f disk.yaml", r"full\.1"),
    limited("upload -w full", "large.bin would exceed the disk quota limit", exits=1, title="upload of what does not fit"),
    limited("ls -w full", r"\A(?!.*large\.bin)", title="ls after it"),
    limited("start -w full", "full(\\.1)? is running"),
    limited("status -w full", "full +1 .* failed", until=True, title="status of a job that fills the disk"),
    limited("logs -w full", r"Resource: disk, usage: .* out of 976.56 KiB used", title="logs of the run"),
    limited("quota-show --resource disk", r"out of 1000000 used \([1-9]\d\d%\)", title="quota-show of a full disk"),
    limited("create -n no -f cpu.yaml", f"{EXCEEDED}", exits=1, title="create on a full disk"),
    limited("rm -w full filled.bin", "", title="rm makes room"),
    limited("create -n busy -f cpu.yaml", r"busy\.1", title="create with room again"),
    limited("start -w busy", "busy(\\.1)? is running"),
    limited("status -w busy", "busy +1 .* failed", until=True, title="status of a job that uses the time up"),
    limited("logs -w busy", "Resource: cpu, usage: .* out of 3s used", title="logs of that"),
    limited("restart -w busy", EXCEEDED, exits=1, title="restart without time"),
    limited("quota-show --resource cpu", r"out of 3000 used \([1-9]\d\d%\)", title="quota-show of no time"),
]

SPECIFICATION = """
inputs: {{files: [{files}]}}
workflow:
  type: serial
  specification:
    steps:
      - environment: 'debian:12'
        commands: ['{command}']
"""

QUOTAS = Story(
    "Quotas",
    ROWS,
    {
        "disk.yaml": SPECIFICATION.format(
            files="large.bin", command="head -c 3000000 /dev/zero > filled.bin; sleep 600"
        ),
        "cpu.yaml": SPECIFICATION.format(files="", command="while :; do :; done"),
        "large.bin": "0" * 2_000_000,
    },
)
