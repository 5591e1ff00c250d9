import { describe, expect, test } from "vitest";
import { jobOf } from "#backends/backend-fixture";
import { type BubblewrapOptions, bubblewrapWall } from "#backends/walls/bubblewrap";
import type { BehindWall } from "#backends/walls/wall";
import type { Job } from "#workflow/job/job";

const OPTIONS: BubblewrapOptions = {
  program: "/usr/bin/bwrap",
  system: () => ["--ro-bind", "/usr", "/usr"],
  network: "on",
  mounts: [],
  isRoot: false,
  isProgram: (name) => ["bash", "python3"].includes(name),
  filterFile: "/data/jobs/sandbox/call-filter",
};

function behindOf(job: Partial<Job>, change: Partial<BehindWall> = {}): BehindWall {
  const made = jobOf("a && b", job);
  return {
    id: "j",
    job: made,
    command: made.command,
    inherited: {},
    inside: {},
    workspaceFolder: "/data/workspaces/w",
    attemptFolder: "/data/jobs/j",
    scratchFolder: "/data/jobs/j/scratch",
    isTimeCounted: false,
    ...change,
  };
}

function around(job: Partial<Job>, options: Partial<BubblewrapOptions> = {}, change?: Partial<BehindWall>) {
  return bubblewrapWall({ ...OPTIONS, ...options }).around(behindOf(job, change));
}
const INIT = '/bin/sh -c trap : INT; exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit sh ';
/** Returns the arguments without the first process, which is equal for all jobs. */
const words = (...given: Parameters<typeof around>) =>
  around(...given)
    .argv.join(" ")
    .replace(INIT, "");

describe("the words of bubblewrap", () => {
  test("of an ordinary job", () => {
    expect(around({})).toMatchObject({
      filterFile: OPTIONS.filterFile,
      temporaryFolder: "/data/jobs/j/tmp",
    });
    expect(around({}).argv.join(" ")).toBe(
      "/usr/bin/bwrap --unshare-user --disable-userns --unshare-pid --unshare-ipc --new-session " +
        "--die-with-parent --cap-drop ALL --ro-bind /usr /usr --as-pid-1 --size 1073741824 --perms 1777 --tmpfs /dev/shm --remount-ro /dev " +
        "--bind /data/jobs/j/tmp /tmp --bind-try /data/workspaces/w /data/workspaces/w " +
        "--bind-try /data/jobs/j/scratch /data/jobs/j/scratch " +
        "--remount-ro / " +
        `--seccomp 9 -- ${INIT}bash -c a && b`,
    );
  });

  test("show each job the present system", () => {
    let looks = 0;
    const system = () => ["--look", String((looks += 1))];
    const wall = bubblewrapWall({ ...OPTIONS, system });
    const seen = () => wall.around(behindOf({})).argv.join(" ");
    expect([seen(), seen()]).toEqual([
      expect.stringContaining("--look 1"),
      expect.stringContaining("--look 2"),
    ]);
  });

  test("of a job whose processor time the kernel counts: the command needs no first process that waits for it", () => {
    const { argv } = around({}, {}, { isTimeCounted: true });
    expect(argv.includes("--as-pid-1")).toBe(false);
    expect(argv.join(" ")).toMatch(/--seccomp 9 -- bash -c a && b$/);
  });

  test.each<[Partial<Job>, Partial<BubblewrapOptions>, boolean]>([
    [{}, {}, true],
    [{ network: "none" }, {}, false],
    [{}, { network: "asked" }, false],
    [{ network: "full" }, { network: "asked" }, true],
    [{}, { network: "off" }, false],
    [{ network: "full" }, { network: "off" }, false],
  ])("a job %j on a server with %j has the network: %s", (job, options, hasNetwork) => {
    expect(around(job, options).argv.includes("--unshare-net")).toBe(!hasNetwork);
    const isRefused = job.network === "full" && !hasNetwork;
    expect(around(job, options).notice?.includes("--job-network") ?? false).toBe(isRefused);
  });

  test("a job with named folders can write to the named folders only", () => {
    expect(words({ writable: ["out", "b/c"] })).toContain(
      " --ro-bind /data/workspaces/w /data/workspaces/w --bind-try /data/workspaces/w/out /data/workspaces/w/out " +
        "--bind-try /data/workspaces/w/b/c /data/workspaces/w/b/c --bind-try /data/jobs/j/scratch ",
    );
  });

  test("mounts lie below the job's own folders and stay visible", () => {
    const mounts = [
      { path: "/srv/data", at: "/data", mode: "read" },
      { path: "/scratch", at: "/scratch", mode: "write" },
    ] as const;
    expect(words({}, { mounts })).toContain(
      " --bind /data/jobs/j/tmp /tmp --ro-bind /srv/data /data --bind /scratch /scratch --bind-try /data/workspaces/w ",
    );
  });

  test("what a job mounts is shown, and its own parts of the workspace are checked for links", () => {
    const mounts = [
      { from: "in/a", at: "/data/a", mode: "read" },
      { from: "out", at: "/out", mode: "write" },
      { from: "/cvmfs/sft.cern.ch", at: "/cvmfs/sft.cern.ch", mode: "read" },
    ] as const;
    expect(words({ mounts }, { cvmfs: "/srv/cvmfs" })).toContain(
      " --ro-bind /data/workspaces/w/in/a /data/a --bind /data/workspaces/w/out /out " +
        "--ro-bind /srv/cvmfs/sft.cern.ch /cvmfs/sft.cern.ch --remount-ro / ",
    );
    expect(around({ mounts }).shownParts).toEqual(["in/a", "out"]);
    const outside = [{ from: "/etc", at: "/data", mode: "read" }] as const;
    expect(() => around({ mounts: outside })).toThrow(
      "The job cannot see /etc: it leads out of the workspace.",
    );
  });

  test("secrets and a long script are shown, and cannot be changed", () => {
    const change = { secretsFolder: "/data/jobs/j/secrets", scriptFile: "/data/jobs/j/command.sh" };
    expect(words({}, {}, change)).toMatch(
      / --ro-bind \/data\/jobs\/j\/secrets \S+ --ro-bind \/data\/jobs\/j\/command\.sh \S+ .+ -- bash \/data\/jobs\/j\/command\.sh$/,
    );
  });

  test("files for input and output are opened inside, by a shell without the variables that are for the command", () => {
    const command = { argv: ["python3", "fit.py"] } as const;
    const of = (inside = {}) => words({ stdin: "in put", stderr: "err" }, {}, { command, inside });
    expect(of()).toMatch(
      / 9 -- \/bin\/bash -p -c # [^]+ bash \/data\/workspaces\/w in put {2}err python3 fit\.py$/,
    );
    expect(of({ LD_X: "y" })).toMatch(
      / 9 -- \/bin\/bash [^]+ err \/usr\/bin\/env -- LD_X=y python3 fit\.py$/,
    );
    expect(around({ stdin: "in" }).opensFiles).toBe(true);
  });

  test("a program has separate arguments and variables", () => {
    const of = (...argv: [string, ...string[]]) =>
      words({}, {}, { command: { argv }, inside: { UID: "7", LD_X: "y" } });
    expect(of("python3", "--n", "1")).toMatch(/ --setenv UID 7 --setenv LD_X y -- python3 --n 1$/);
    // `env` reports a missing program as a shell does.
    expect(of("fit", "--n", "1")).toMatch(/ 9 -- \/usr\/bin\/env -- UID=7 LD_X=y fit --n 1$/);
    expect(of("a=b")).toMatch(/ LD_X=y \/bin\/sh -c exec "\$0" "\$@" a=b$/);
  });

  test("a script that only starts a program needs no bash, unless its PATH may lead to another", () => {
    const of = (script: string, inherited = {}) => words({}, {}, { command: { script }, inherited });
    expect(of("python3 fit.py 'a b'")).toMatch(/ -- python3 fit\.py a b$/);
    expect(of("python3 fit.py", { PATH: "/opt/bin" })).toMatch(/\/env -- bash -c python3 fit\.py$/);
    expect(of("cd code")).toMatch(/ -- bash -c cd code$/);
    expect(of("python3 fit.py && plot")).toMatch(/ -- bash -c python3 fit\.py && plot$/);
  });

  test("a server that runs as root takes its jobs for REANA's user, and closes the settings of the kernel", () => {
    expect(words({}, { isRoot: true })).toMatch(/ --uid 1000 --gid 0 .+ --remount-ro \/proc /);
  });
});
