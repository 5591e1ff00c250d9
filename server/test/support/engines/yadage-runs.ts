import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Answer, ChannelAsk, EngineInput, Evaluate, FileAsk, Instruction, Look } from "#engines/engine";
import { type Ending, isAsk, isEnding } from "#engines/engine";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { itemAt, itemsOf } from "#engines/wide-list";
import { withFolder } from "#engines/yadage/state/places";
import type { Node, YadageState } from "#engines/yadage/state/state";
import { commandText, type Job } from "#workflow/job/job";

/** Runs a Yadage workflow with the engine alone: jobs are real commands in a real folder, and no server is needed. */

const run = promisify(execFile);

export interface PlayedRun {
  readonly ending: Ending;
  readonly state: YadageState;
  readonly instructions: readonly Instruction[];
}

export async function playRun(input: EngineInput, evaluate: Evaluate): Promise<PlayedRun> {
  const folder = input.run.workspaceFolder;
  const workflow = yadageEngine.load(input, evaluate);
  let step = workflow.start();
  const all: Instruction[] = [...step.instructions];
  const open: Instruction[] = [...step.instructions];
  for (;;) {
    const ending = all.find(isEnding);
    if (ending) return { ending, state: step.state, instructions: all };
    const next = open.shift();
    if (next === undefined) throw new Error("The run is stuck.");
    const event = await eventFor(folder, next);
    if (event === undefined) continue;
    step = workflow.apply(step.state, event);
    all.push(...step.instructions);
    open.push(...step.instructions);
  }
}

async function eventFor(folder: string, instruction: Instruction) {
  if (instruction.do === "submit") return endOf(folder, instruction.job);
  if (!isAsk(instruction)) return undefined;
  if (instruction.do === "go-on") return { kind: "went-on", id: instruction.id } as const;
  if (instruction.do === "find-done") return { kind: "found-done", id: instruction.id, found: null } as const;
  return answerTo(folder, instruction);
}

async function endOf(folder: string, job: Job) {
  const inFolder = path.join(folder, job.workingFolder ?? "");
  const exitCode = await run("bash", ["-c", commandText(job)], { cwd: inFolder }).then(
    () => 0,
    (error: { readonly code?: number }) => error.code ?? 1,
  );
  const end = { reason: "exited", exitCode, startedAtMs: 1, endedAtMs: 2 } as const;
  return { kind: "job-ended", key: job.key, end, lastLines: [] } as const;
}

async function answerTo(folder: string, ask: FileAsk | ChannelAsk): Promise<Answer> {
  const { id } = ask;
  const inside = (name: string) => path.join(folder, name);
  switch (ask.do) {
    case "look":
      return { kind: "looked", id, files: await Promise.all(ask.paths.map((one) => lookAt(folder, one))) };
    case "read":
      return readFile(inside(ask.path), "utf8").then(
        (text) => ({ kind: "read", id, text, bytes: text.length }),
        () => ({ kind: "refused", id, reason: `There is no file ${ask.path}.` }),
      );
    case "write":
      for (const { path: name, text } of ask.files) {
        await mkdir(path.dirname(inside(name)), { recursive: true });
        await writeFile(inside(name), text);
      }
      return { kind: "written", id };
    case "list": {
      const names = await readdir(inside(ask.folder), { recursive: ask.deep }).catch(() => undefined);
      if (!names) return { kind: "refused", id, reason: "There is no such folder." };
      const paths = names.map((name) => path.join(ask.folder, name)).sort();
      const entries = await Promise.all(paths.map((one) => lookAt(folder, one)));
      return { kind: "listed", id, listing: { entries: entries as never, isCut: false } };
    }
    default:
      throw new Error(`The engine does not ask for ${ask.do}.`);
  }
}

async function lookAt(folder: string, name: string): Promise<Look> {
  const found = await stat(path.join(folder, name)).catch(() => undefined);
  if (!found) return { path: name, kind: "absent" };
  return { path: name, kind: found.isDirectory() ? "folder" : "file", bytes: found.size };
}

/** Returns the nodes of a run as yadage's records hold them. */
export function summaryOf(state: YadageState, workspace: string): Readonly<Record<string, unknown>> {
  const nodes = itemsOf(state.nodes).map((node) => node!);
  const nameOf = ({ rule, index }: Node) => {
    const { scope, name } = itemAt(state.rules, rule)!;
    return `${itemAt(state.scopes, scope)!.offset}/${name}:${index}`;
  };
  return Object.fromEntries(
    nodes.map((node) => [
      nameOf(node),
      {
        name: node.name,
        parents: node.parents.map((parent) => nameOf(nodes[parent]!)).sort(),
        parameters: withFolder(node.parameters, workspace),
        result: withFolder(node.result?.value ?? null, workspace),
      },
    ]),
  );
}
