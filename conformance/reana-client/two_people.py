"""Two people, each with a client of their own: one shares a workflow, the other reads it and can change nothing."""

from rows import NEWER, NOT_STABLE, READER, Story, row

READ_ONLY = "team.1 is shared with you to read: only its owner can change it"


def shared(command, prints="", **others):
    """A command about sharing, which the stable client does not have."""
    return row(command, prints, only=NOT_STABLE, **others)


def reading(command, prints="", **others):
    return shared(command, prints, by=READER, title=f"{others.pop('title', command)} (by the reader)", **others)


ROWS = [
    row("server-add {server}", "Saved REANA server", by=READER, only=(NEWER,), title="server-add (by the reader)"),
    row("server-use {server}", "Selected REANA server", by=READER, only=(NEWER,), title="server-use (by the reader)"),
    reading("ping", "Authenticated as: .*reader@example.org"),
    shared("run -w team", r"team\.1 (is|has|has been) ", title="run of what is shared"),
    shared("status -w team", "finished +2/2", until=True),
    reading("status -w team", "that workflow does not exist|REANA_WORKON", exits=1, title="status before"),
    shared("share-add -w team --user nobody@example.org", "User with email 'nobody@example.org' does not exist", exits=1),
    shared("share-add -w team --user admin@localhost", "Unable to share a workflow with yourself", exits=1),
    shared(
        "share-add -w team --user reader@example.org --valid-until 2001-01-01",
        "'valid_until' date cannot be in the past",
        exits=1,
    ),
    shared(
        "share-add -w team --user reader@example.org --message Look --valid-until 2999-12-31",
        "team is now read-only shared with reader@example.org",
        title="share-add",
    ),
    shared("share-add -w team --user reader@example.org", "team.1 is already shared with", exits=1, title="share-add again"),
    shared("share-status -w team", "reader@example.org +2999-12-31T23:59:59", title="share-status"),
    shared("list --shared-with anybody", "team +1"),
    shared("list --shared-with reader@example.org", "team +1 .* reader@example.org"),
    reading("list", r"\ANAME[^\n]*\n\s*\Z", title="list without what is shared"),
    reading("list --shared", "team +1 .* admin@localhost"),
    reading("list --shared-by anybody", "team +1 .* admin@localhost"),
    reading("list --shared-by admin@localhost", "team +1 .* admin@localhost"),
    reading("status -w team", "finished +2/2"),
    reading("logs -w team", "hello from the team"),
    reading("ls -w team", r"out.txt +20 "),
    reading("du -w team -s", r"(?m)^\d+ +\.\s*$"),
    reading("download -w team out.txt -o -", "hello from the team"),
    reading("retention-rules-list -w team", "WORKSPACE_FILES"),
    reading("start -w team", READ_ONLY, exits=1),
    reading("restart -w team", READ_ONLY, exits=1),
    reading("stop -w team --force", READ_ONLY, exits=1),
    reading("upload -w team reana.yaml", READ_ONLY, exits=1),
    reading("rm -w team out.txt", "Something went wrong while deleting out.txt", exits=1),
    reading("mv out.txt other.txt -w team", READ_ONLY, exits=1),
    reading("prune -w team", READ_ONLY, exits=1),
    reading("delete -w team", READ_ONLY, exits=1),
    reading("share-add -w team --user admin@localhost", READ_ONLY, exits=1, title="share-add of another's"),
    reading("share-status -w team", READ_ONLY, exits=1, title="share-status of another's"),
    shared("share-remove -w team --user reader@example.org", "team is no longer shared with reader@example.org"),
    shared("share-remove -w team --user reader@example.org", "is not shared with", exits=1, title="share-remove again"),
    reading("status -w team", "that workflow does not exist|REANA_WORKON", exits=1, title="status afterwards"),
    shared("delete -w team", "team(\\.1)? has been deleted|have been deleted", title="delete of what was shared"),
]

REANA_YAML = """
outputs: {files: [out.txt]}
workflow:
  type: serial
  specification:
    steps:
      - environment: 'debian:12'
        commands:
          - echo hello from the team > out.txt
          - cat out.txt
"""

TWO_PEOPLE = Story("Two people", ROWS, {"reana.yaml": REANA_YAML})
