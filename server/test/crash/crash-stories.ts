import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { CrashWorld } from "./crash-world.ts";
import type { GitHttpServer } from "../files/git-http-server.ts";
import { ADMIN_TOKEN } from "../support/real-server.ts";
import type { Counterpart } from "../support/sign-in/counterpart.ts";
import { surveySpecification } from "../support/engines/surveys.ts";
import type { Witness, WitnessedRun } from "./witness.ts";

/** The requests to a server in its first life. A server that is not killed during the story is stopped. */
export type Story = (world: CrashWorld, outside: Outside) => Promise<void>;

/** Servers of others. */
export interface Outside {
  readonly git: GitHttpServer;
  /** A provider of sign-in, for the story that needs one. */
  readonly cern?: Counterpart | undefined;
}

/** Makes a new user an administrator for a while, and deletes the user. */
async function passOffice(witness: Witness): Promise<void> {
  const { id } = await witness.createUser("deputy");
  witness.users.pop();
  await witness.expect(200, "PUT", `admin/users/${id}/admin`);
  const { status } = await witness.ask("DELETE", `admin/users/${id}`, { query: "&with_data=true" });
  if (status !== 200 && status !== 404) throw new Error(`The deletion of a user: ${status}`);
}

const CONTENT = "0123456789abcdef".repeat(8192);

/** Users, and runs: finished, failed, stopped, deleted, and one still running when the server ends. */
export async function everyday(world: CrashWorld): Promise<void> {
  const { witness, job } = world;
  const ada = await witness.createUser("ada");
  const bob = await witness.createUser("bob");
  await witness.issueToken(ada);
  await witness.lockOut(bob, true);
  await witness.lockOut(bob, false);
  await passOffice(witness);
  await witness.limit(ada, 3_600_000);
  await witness.expect(200, "PUT", "admin/announcement", {
    body: JSON.stringify({ announcement: "Hello." }),
  });
  await witness.expect(200, "PUT", "admin/policies/everybody", { body: JSON.stringify({ max_runs: 100 }) });
  const token = ada.tokens[0]!;
  const create = (name: string, commands: readonly string[], endsAs: WitnessedRun["endsAs"] = "finished") =>
    witness.createRun(name, serial(commands), { token, endsAs });

  const never = await create("never", [job()]);
  await witness.upload(never, "never.bin", CONTENT);
  await witness.remove(never);

  const quick = await create("quick", [job(), job(), job(), job(0.05, "(setsid sleep 1000 &)")]);
  const fails = await create("fails", [job(), job(0, "exit 3"), job()], "failed");
  const endless = await create("endless", [job(1000)], "stopped");
  await witness.upload(quick, "data/in.bin", CONTENT);
  await witness.upload(quick, "data/in.txt", "small");
  for (const run of [quick, fails, endless]) await witness.start(run);
  await witness.until(endless, "running");
  await witness.until(quick, "finished");
  await witness.until(fails, "failed");
  await witness.logs(quick);
  // The server looks for unreported ends four times a second.
  await delay(300);
  await witness.remove(quick);
  await witness.stop(endless);

  const unspeakable = await create("unspeakable", [`${job()} # \0`], "failed");
  await witness.start(unspeakable);
  await witness.until(unspeakable, "failed");
  const last = await create("last", [job(0.5), job()]);
  await witness.start(last);
  await witness.until(last, "running");
}

/** Fills both places with two runs. The jobs of the remaining runs wait and are admitted one by one. */
export async function crowded({ witness, job }: CrashWorld): Promise<void> {
  const create = (name: string, commands: readonly string[], endsAs: WitnessedRun["endsAs"]) =>
    witness.createRun(name, serial(commands), { endsAs });
  const keepers = [
    await create("keeper", [job(1000)], "stopped"),
    await create("keeper", [job(1000)], "stopped"),
  ];
  for (const run of keepers) await witness.start(run);
  for (const run of keepers) await witness.until(run, "running");
  const others = [];
  for (const name of ["one", "two", "three", "four"])
    others.push(await create(name, [job(), job()], "finished"));
  for (const run of others) await witness.start(run);
  for (const run of others) await witness.until(run, "pending");
  await witness.stop(keepers[0]!);
  for (const run of others) await witness.until(run, "finished");
}

/** Runs in a shared workspace. The first run is deleted before its successors. */
export async function restarts({ witness, job }: CrashWorld): Promise<void> {
  const specification = { ...serial([job(), job(0, "exit 3"), job()]), outputs: { directories: ["out"] } };
  const first = await witness.createRun("again", specification, { endsAs: "failed" });
  await witness.upload(first, "data/in.txt", "small");
  await witness.start(first);
  await witness.until(first, "failed");
  // The first command is taken over, the second runs again.
  const second = await witness.restart(first, "failed");
  await witness.until(second, "failed");
  await witness.logs(second);
  await witness.remove(first);
  const third = await witness.restart(second, "failed");
  await witness.until(third, "failed");
  await witness.remove(third);
  await witness.remove(second);
}

/** Runs with independent steps: the steps after a failure run, and a restart takes their results over. */
export async function independent({ witness, job }: CrashWorld): Promise<void> {
  const on_failure = "finish";
  const steps = [
    { name: "one", commands: [job()], on_failure },
    { name: "two", commands: [job(0, "exit 3")], on_failure },
    { name: "three", commands: [job()], on_failure },
    { name: "last", commands: [job()] },
  ];
  const specification = { workflow: { type: "serial", specification: { steps } } };
  const first = await witness.createRun("independent", specification, { endsAs: "failed" });
  await witness.start(first);
  await witness.until(first, "failed");
  const second = await witness.restart(first, "failed");
  await witness.until(second, "failed");
  await witness.logs(second);
}

/** Runs that start with a copy of another's files. The original is deleted first. */
export async function reruns({ witness, job }: CrashWorld): Promise<void> {
  const specification = { ...serial([job(), job(0, "exit 3"), job()]), outputs: { directories: ["out"] } };
  const first = await witness.createRun("copied", specification, { endsAs: "failed" });
  await witness.upload(first, "data/in.txt", "small");
  await witness.start(first);
  await witness.until(first, "failed");
  const second = await witness.rerun(first, "failed");
  await witness.until(second, "failed");
  await witness.remove(first);
  await witness.logs(second);
  const third = await witness.restart(second, "failed");
  await witness.until(third, "failed");
}

/** A run whose command fails at first and is retried. */
export async function stubborn({ witness, job }: CrashWorld): Promise<void> {
  const steps = [
    { commands: [job(0, "mkdir out 2>/dev/null && exit 3; true")], retries: 2, retry_delay: 0.1 },
    { commands: [job()] },
  ];
  const run = await witness.createRun("stubborn", { workflow: { type: "serial", specification: { steps } } });
  await witness.start(run);
  await witness.until(run, "finished");
  await witness.logs(run);
}

/** A job that replaces its record with a named pipe, and leaves a process behind. */
export async function damaging({ witness, job }: CrashWorld): Promise<void> {
  const own = "cd ~/.. && rm record && mkfifo record; (setsid sleep 1000 &)";
  const run = await witness.createRun("damaging", serial([job(0, own), job()]), { endsAs: "failed" });
  await witness.start(run);
  await witness.until(run, "failed");
  await witness.logs(run);
  await witness.remove(run);
  const after = await witness.createRun("undamaged", serial([job()]));
  await witness.start(after);
  await witness.until(after, "finished");
}

/** A run that lasts until the server has renewed its row in the database. */
export async function quietTime({ witness, job }: CrashWorld): Promise<void> {
  const run = await witness.createRun("quiet", serial([job(6), job()]));
  await witness.start(run);
  await witness.until(run, "finished");
}

/** Workflows from repositories: valid workflows, and an invalid workflow, which the server removes again. */
export async function repositories({ witness }: CrashWorld, { git }: Outside): Promise<void> {
  const create = (name: string) =>
    witness.ask("POST", "workflows", { query: `&workflow_name=g&spec=${git.url}/${name}.git` });
  const { body } = await create("right");
  const run = witness.witnessRun(String(body["workflow_id"]), ADMIN_TOKEN, "finished");
  run.uploads.set("data/in.txt", { content: "small", certainty: "answered" });
  await create("wrong");
  await create("right");
}

/** A run that fetches its inputs from a web server. The server states no tags, so every life fetches them again. */
export async function fetching({ witness, job }: CrashWorld, { git }: Outside): Promise<void> {
  const names = ["one.txt", "two.txt"];
  const files = names.map((name) => `${git.url}${INPUTS}${name}`);
  const commands = [job(0, "cat one.txt two.txt > both"), job(0, "rm both")];
  const run = await witness.createRun("fetching", { inputs: { files }, ...serial(commands) });
  for (const name of names) run.uploads.set(name, { content: inputOf(INPUTS + name), certainty: "asked" });
  await witness.start(run);
  await witness.until(run, "finished");
}

/** A run that publishes outputs, and a second request to publish. Each object must equal the file of the run. */
export async function publishing(world: CrashWorld, { git }: Outside): Promise<void> {
  const { witness, job } = world;
  const files = ["one.txt", "two.txt"];
  const destination = { address: "s3://lab/results", endpoint: `${git.url}${STORE}` };
  const run = await witness.createRun("publishing", { outputs: { files, destination }, ...serial([job()]) });
  for (const name of files) await witness.upload(run, name, `output ${name}\n`);
  await witness.start(run);
  await witness.until(run, "finished");
  await witness.expect(200, "POST", `workflows/${run.id}/publish-outputs`, { token: run.token });
  const base = `${git.url}${STORE}/lab/results/${run.id}`;
  const manifest = (await (await fetch(`${base}.json`)).json()) as { readonly files: { path: string }[] };
  assert.deepEqual(
    manifest.files.map((file) => file.path),
    files,
  );
  for (const name of files) assert.equal(await (await fetch(`${base}/${name}`)).text(), `output ${name}\n`);
}

/** The path of the buckets on the web server that stands in for an S3 service. */
export const STORE = "/s3";

/** Where the web server has the inputs. */
export const INPUTS = "/inputs/";

/** Returns what the web server has at a path. */
export function inputOf(path: string): string {
  return `input of ${path}\n`;
}

/**
 * An engine that asks for files, stages files for jobs, and has snapshots. Each job changes its staged files.
 */
export async function surveys(world: CrashWorld): Promise<void> {
  const { witness, job } = world;
  const specification = surveySpecification({
    // Jobs of the nested part leave no line.
    when: "false",
    stages: true,
    script: JSON.stringify(["join", `(${job(0.02)}) >&2; echo >> own; echo > `, ["get", "item"]]),
  });
  const survey = await witness.createRun("survey", specification);
  await witness.upload(survey, "list.txt", "one\ntwo\nthree\n");
  const long = await witness.createRun("long", serial([job(), job(), job(), job(), job()]));
  await witness.start(survey);
  await witness.start(long);
  await witness.until(survey, "finished");
  await witness.until(long, "finished");
}

export function serial(commands: readonly string[]): object {
  return {
    workflow: { type: "serial", specification: { steps: commands.map((one) => ({ commands: [one] })) } },
  };
}

/** Does one more run: after every crash a new server must be able to work as before. */
export async function oneMoreRun({ witness, job }: CrashWorld): Promise<void> {
  const run = await witness.createRun("after", serial([job()]));
  await witness.start(run);
  await witness.until(run, "finished");
}

/**
 * Waits until nothing is running. Stops endless runs, unless a stop was requested before. If a start was not
 * answered, a run may still wait for a start.
 */
export async function allOver({ witness }: CrashWorld): Promise<void> {
  await witness.findRestarts();
  const [endless, others] = [witness.runs.filter(isEndless), witness.runs.filter((run) => !isEndless(run))];
  for (const run of others) await witness.until(run, ...AT_REST);
  for (const run of endless) if (run.stopped === "never") await witness.stop(run);
  for (const run of endless) await witness.until(run, ...AT_REST);
  for (const run of others) if (run.seen.at(-1) === "finished") await witness.untilTidied(run);
  const { items } = await witness.expect(200, "GET", "workflows", { query: "&type=interactive" });
  for (const { id } of items as { readonly id: string }[]) {
    const { status, body } = await witness.ask("POST", `workflows/${id}/close`);
    // The server may just have finished an end that the crash had interrupted.
    if (status !== 200 && status !== 404)
      throw new Error(`close answered ${status}: ${JSON.stringify(body)}`);
  }
}

const AT_REST = ["created", "finished", "failed", "stopped", "deleted"] as const;

function isEndless(run: WitnessedRun): boolean {
  return run.endsAs === "stopped";
}
