/**
 * A command that talks to a server. Each row has its output with a responding server. The tests also use a
 * server that is away, slow, or breaks off in the middle of a response.
 */
export interface CommandRow {
  readonly args: readonly string[];
  /** Initial status of the workflow `w`. Absent if `w` does not exist. */
  readonly from?: "created" | "running" | "finished";
  readonly code?: number;
  /**
   * The lines on standard output. Parts that differ each time are written as `<time>`, `<token>`, `<server>` and so on.
   */
  readonly prints: readonly string[];
  /** Warning on standard error, if the command prints one. */
  readonly warns?: string;
  /** True if the command works without a server. */
  readonly asksNobody?: true;
}

/** All commands. Only one part of a result may depend on timing: the status of a run just started. */
export const COMMAND_ROWS: Readonly<Record<string, CommandRow>> = {
  create: { args: ["-n", "w"], prints: ["Created w.1."] },
  upload: {
    from: "created",
    args: ["-w", "w", "new.txt", "other.txt"],
    prints: ["Uploaded 2 files (32 B) to w.1."],
  },
  start: { from: "created", args: ["w"], prints: ["w.1 is <live>."] },
  status: {
    from: "finished",
    args: ["w"],
    prints: [
      "NAME  STATUS  JOBS  DURATION  CREATED (Europe/Zurich)  STARTED  ENDED",
      "w.1  finished  1/1  <duration>  <time>  <time>  <time>",
    ],
  },
  validate: { from: "finished", args: ["reana.yaml", "--history", "w"], prints: ["reana.yaml is valid."] },
  outputs: {
    from: "finished",
    args: ["w"],
    code: 1,
    prints: [],
    warns: "w.1 has no output object: it has not finished, or its language has none.",
  },
  report: { from: "finished", args: ["w", "-o", "w.html"], prints: ["Wrote w.html (<size>)."] },
  export: { from: "finished", args: ["w", "-o", "w.zip"], prints: ["Wrote w.zip (<size>)."] },
  pack: {
    from: "finished",
    args: ["w", "-o", "w.zip"],
    prints: ["Wrote w.zip (<size>). To run it, unpack it and type: sh run.sh"],
  },
  // Nobody stored a token. The test of the command shows a whole publication.
  publish: {
    from: "finished",
    args: ["w", "--to", "zenodo", "--creator", "Lovelace, Ada"],
    code: 1,
    prints: [],
  },
  import: { args: ["crate", "-n", "taken"], prints: ["Created taken.1 with 1 file (15 B)."] },
  logs: { from: "finished", args: ["w"], prints: ["==> s0 <==", "log of true\n"] },
  ls: {
    from: "created",
    args: ["-w", "w"],
    prints: ["BYTES  MODIFIED (Europe/Zurich)  NAME", "  15  <time>  one.txt", "  15  <time>  two.txt"],
  },
  download: {
    from: "created",
    args: ["-w", "w", "one.txt", "two.txt", "-o", "out"],
    prints: ["Downloaded 2 files (30 B) to out."],
  },
  rm: {
    from: "created",
    args: ["-w", "w", "one.txt", "tw*"],
    prints: ["Deleted one.txt (15 B).", "Deleted two.txt (15 B)."],
  },
  origin: {
    from: "created",
    args: ["new.txt"],
    code: 1,
    prints: ["new.txt: no run that you may see has a file with this content."],
  },
  mv: { from: "created", args: ["-w", "w", "one.txt", "three.txt"], prints: ["Moved one.txt to three.txt."] },
  du: { from: "created", args: ["-w", "w", "-s"], prints: ["  SIZE  NAME", "<size>  ."] },
  list: {
    from: "created",
    args: ["w"],
    prints: ["NAME  STATUS  JOBS  DURATION  CREATED (Europe/Zurich)", "w.1  created  -  -  <time>"],
  },
  note: { from: "created", args: ["w", "With the new calibration."], prints: ["Noted on w.1."] },
  tag: { from: "created", args: ["w", "paper", "2026-B"], prints: ["2026-B", "paper"] },
  diff: {
    from: "created",
    args: ["w", "w"],
    prints: [
      "RUN  STATUS  DURATION  CPU TIME",
      "w.1  created  -  <duration>",
      "w.1  created  -  <duration>",
      "",
      "Files: 0 added, 0 removed, 0 changed, 2 equal.",
    ],
  },
  badge: {
    args: ["https://example.org/you/fit"],
    prints: [
      "[![Launch with Reprise](<server>/launcher-badge)](<server>/launch?url=https%3A%2F%2Fexample.org%2Fyou%2Ffit)",
    ],
    asksNobody: true,
  },
  share: {
    from: "created",
    args: ["-w", "w", "admin@localhost", "--until", "2999-12-31"],
    prints: ["Shared w.1 with admin@localhost, to read until 2999-12-31."],
  },
  unshare: { from: "created", args: ["-w", "w", "admin@localhost"], code: 1, prints: [] },
  stop: { from: "running", args: ["w"], prints: ["Stopped w.1."] },
  restart: {
    from: "finished",
    args: ["w", "--fresh"],
    prints: ["Restarted as w.1.1: 1 command to run."],
    warns:
      "Warning: w.1 is finished; a restart replaces its results in the shared workspace. " +
      "Use reprise rerun w.1 to keep both.",
  },
  rerun: { from: "finished", args: ["w", "--fresh"], prints: ["Rerun as w.2: 1 command to run."] },
  // Nothing was verified yet. The test of the command shows a whole verification.
  verify: { from: "finished", args: ["w", "--last"], code: 1, prints: [] },
  delete: { from: "finished", args: ["w"], prints: ["Deleted w.1."] },
  "publish-outputs": {
    from: "finished",
    args: ["w"],
    code: 1,
    prints: [],
    warns: "Workflow w.1 declares no destination for its outputs.",
  },
  prune: { from: "finished", args: ["w"], prints: ["Pruned the workspace of w.1."] },
  open: { from: "created", args: ["w"], prints: ["<server>/sign-in?to=%2Fruns%2F<id>#<code>"] },
  // The test server has no Jupyter.
  notebook: { from: "created", args: ["w"], prints: [], code: 1 },
  login: {
    args: [],
    prints: ["<server>/sign-in#<code>"],
    warns: "Open this address in a browser. It signs in once, within ten minutes:",
  },
  env: {
    args: [],
    prints: [
      "export REPRISE_SERVER=<server>",
      "export REPRISE_TOKEN=<token>",
      "export REANA_SERVER_URL=<server>",
      "export REANA_ACCESS_TOKEN=<token>",
    ],
    asksNobody: true,
  },
};
