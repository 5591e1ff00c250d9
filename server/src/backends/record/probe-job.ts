import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { type ListedJob, nameOfJob, type Place } from "#backends/record/place";
import { unusableFolder } from "#backends/record/unusable-folder";
import { messageOf } from "#plumbing/errors";
import type { Clock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { shellQuote } from "#plumbing/text/shell-quote";

/** How long a probe may wait in the queue. A full cluster says nothing about its nodes. */
const PROBE_MS = 30_000;
const LOOK_MS = 200;

/** The programs that the supervisor of a job calls on a node. */
const PROGRAMS = ["bash", "setsid", "grep", "sed", "awk", "find", "stat", "xargs"];

/**
 * Sends a job that looks at its node: whether the folder of the jobs is there, at the same path and writable, and whether
 * the programs are there. Returns what is wrong. Undefined if nothing is, or if the job did not start in time.
 */
export async function probeProblem(
  place: Place,
  folder: string,
  clock: Pick<Clock, "after" | "elapsedMs">,
): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true });
  const probe = mkdtempSync(path.join(folder, "probe-"));
  const name = nameOfJob(systemRandom.uuid());
  writeFileSync(path.join(probe, "order"), probeText(probe), { mode: 0o700 });
  try {
    const job = {
      key: "probe",
      name: "probe",
      node: "probe",
      command: { script: "" },
      displayCommand: "",
      image: null,
      environment: {},
    };
    const outsideId = await place.send({
      name,
      job,
      workspaceFolder: probe,
      orderFile: `${probe}/order`,
      saidFile: `${probe}/said`,
    });
    const problem = await answered({ place, probe, name, clock });
    if (problem === "waits") await place.end([outsideId]);
    return problem === "waits" ? undefined : problem;
  } catch (error) {
    return messageOf(error);
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** The script of the probe. What it prints goes into the cluster's own file, which may be invisible from here. */
function probeText(probe: string): string {
  return [
    "#!/bin/sh",
    `cd ${shellQuote(probe)} || exit 1`,
    `for program in ${PROGRAMS.join(" ")}; do command -v "$program" > /dev/null || echo "$program"; done > .answer`,
    "mkdir claim && ln .answer answer",
    "",
  ].join("\n");
}

interface Probe {
  readonly place: Place;
  readonly probe: string;
  readonly name: string;
  readonly clock: Pick<Clock, "after" | "elapsedMs">;
}

async function answered({ place, probe, name, clock }: Probe): Promise<string | undefined> {
  const fromMs = clock.elapsedMs();
  let overSinceMs: number | undefined;
  for (;;) {
    await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    // A name that somebody has looked for in vain may stay absent for a while. A listing shows it.
    if (readdirSync(probe).includes("answer"))
      return missingIn(readFileSync(path.join(probe, "answer"), "utf8"));
    const [listed] = (await place.list({ isWhole: true })).jobs.get(name) ?? [];
    const isOver = listed?.phase === "over" || listed?.phase === "unknown";
    if (listed?.phase === "hopeless") return listed.sentence;
    if (isOver) overSinceMs ??= clock.elapsedMs();
    if (listed && overSinceMs !== undefined && clock.elapsedMs() - overSinceMs > PROBE_MS / 10)
      return notSeen(place, listed, probe);
    if (clock.elapsedMs() - fromMs > PROBE_MS) return "waits";
  }
}

function missingIn(answer: string): string | undefined {
  const missing = answer.trim().split("\n").filter(Boolean);
  if (missing.length === 0) return undefined;
  return `A node has no ${missing.join(", ")} in the PATH of its jobs: install what is missing there.`;
}

function notSeen({ name }: Place, { node }: ListedJob, probe: string): string {
  const where = node === undefined ? "Its node" : `The node ${node}`;
  return `A job of ${name} could not look at its node. ${unusableFolder(where, path.dirname(probe))}`;
}
