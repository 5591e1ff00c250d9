import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { command } from "../support/command.ts";
import { ADMIN_TOKEN, client, startRealServer } from "../support/real-server.ts";

/**
 * Commands and a server on full disks. `full-disk.slow.test.ts` runs this file in separate namespaces, to
 * mount small disks without root. Prints the results as JSON.
 */
const [base] = process.argv.slice(2) as [string];
const MIB = 1 << 20;
const data = path.join(base, "data");
const here = path.join(base, "here");
const small = path.join(here, "small");

async function disk(folder: string, size: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", folder]);
}

await disk(data, "20m");
await disk(small, "1m");
const SIZES = { "fits.bin": 3 * MIB, "edge.bin": MIB + 10, "whole.bin": 7 * MIB, "parts.bin": 20 * MIB };
for (const [name, size] of Object.entries(SIZES))
  await writeFile(path.join(here, name), Buffer.alloc(size, name));

const server = await startRealServer(data);
const api = client(server.url);

async function reprise(...args: string[]) {
  const usesServer = args[0] !== "backup" && args[0] !== "restore";
  const environment = {
    ...(usesServer && { REPRISE_SERVER: server.url }),
    REPRISE_TOKEN: ADMIN_TOKEN,
    REPRISE_DATA: data,
  };
  const run = command(args, { cwd: here, environment });
  const code = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

const files = async (run: string) =>
  ((await api.call("GET", `workflows/${run}/workspace`)).body["items"] as { name: string }[])
    .map(({ name }) => name)
    .sort();
const inSmall = () => readdir(small, { recursive: true });

const readiness = async () => (await fetch(`${server.url}/readyz`)).status;

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function isStillWriting(): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  return (await Promise.all(commands)).includes("cat\0/dev/zero\0");
}

/** Fills the disk by a job: the log and the database also find no space, until the run is stopped and deleted. */
async function jobFillsTheDisk() {
  const greedy = await api.create(["cat /dev/zero > filler; sleep 600"], "greedy");
  await api.setStatus(greedy, "start");
  await until(async () => (await readiness()) === 503);
  // A job that is still writing would fill the released reserve.
  await until(async () => !(await isStillWriting()));
  const { waiting_for: waitingFor } = await api.status(greedy);
  const refused = (await api.call("POST", "workflows", "{}")).status;
  const stopped = await api.setStatus(greedy, "stop");
  const deleted = await api.setStatus(greedy, "deleted");
  await until(async () => (await readiness()) === 200);
  const next = await api.create(["echo well"], "next");
  await api.setStatus(next, "start");
  const { status } = await api.ended(next);
  return { waitingFor, refused, stopped: stopped.body, deleted: deleted.body, next: status };
}

/** Asks for a rerun when the copy of the workspace does not fit. */
async function rerunWithoutRoom() {
  const wide = await api.create(["head -c 7000000 /dev/zero > made.bin"], "wide");
  await api.setStatus(wide, "start");
  await api.ended(wide);
  const workspaces = () => readdir(path.join(data, "workspaces"));
  const before = await workspaces();
  const { status, body } = await api.call("POST", `workflows/${wide}/rerun`, "{}");
  const left = (await workspaces()).filter((name) => !before.includes(name));
  await until(async () => (await readiness()) === 200);
  await api.setStatus(wide, "deleted");
  return { status, message: body["message"], left };
}

try {
  const outcomes: Record<string, unknown> = {};
  await api.create(["true"], "w");
  outcomes["setUp"] = await reprise("upload", "-w", "w", "fits.bin", "edge.bin");
  outcomes["download"] = [await reprise("download", "-w", "w", "fits.bin", "-o", small), await inSmall()];

  // All but its last bytes fit: the disk takes a part of the last piece and reports no error.
  outcomes["edge"] = [await reprise("download", "-w", "w", "edge.bin", "-o", small), await inSmall()];

  await mkdir(path.join(here, "analysis"));
  const steps = [{ name: "step", commands: ["head -c 3000000 /dev/zero > made.bin"] }];
  const analysis = {
    outputs: { files: ["made.bin"] },
    workflow: { type: "serial", specification: { steps } },
  };
  await writeFile(path.join(here, "analysis", "reana.yaml"), JSON.stringify(analysis));
  outcomes["run"] = [await reprise("run", "analysis", "--output", small), await inSmall()];

  // The disk now stores 3 MB twice, and the database.
  outcomes["inParts"] = [await reprise("upload", "-w", "w", "parts.bin"), await files("w")];
  await reprise("upload", "-w", "w", "whole.bin", "--to", "one");
  outcomes["whole"] = [await reprise("upload", "-w", "w", "whole.bin", "--to", "two"), await files("w")];
  await reprise("rm", "-w", "w", "one");
  outcomes["rerun"] = await rerunWithoutRoom();
  outcomes["againWithRoom"] = [
    await reprise("upload", "-w", "w", "whole.bin", "--to", "two"),
    await files("w"),
  ];

  // The workspace now holds some megabytes.
  const backup = path.join(base, "backup");
  outcomes["backup"] = [await reprise("backup", path.join(small, "backup")), await inSmall()];
  await reprise("backup", backup);
  outcomes["restore"] = [
    await reprise("restore", backup, "--data", path.join(small, "data")),
    await inSmall(),
  ];

  outcomes["filled"] = await jobFillsTheDisk();
  process.stdout.write(JSON.stringify(outcomes));
} finally {
  await server.stop();
}
