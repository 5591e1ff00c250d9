import { isPlainPath } from "#plumbing/files/relative-path";
import { maybeJson } from "#plumbing/formats/json";
import { isObject } from "#workflow/specification/shape";

/** A message of the planner's plugin (`plugin/`). It is not trusted: jobs of the run can modify the messages file. */
export type Message = PlanMessage | RequestedJob;

/** The rules of the run, as far as known to Snakemake. */
export interface PlanMessage {
  readonly kind: "plan";
  /** Number of steps, as in Snakemake's own log. */
  readonly steps: number;
  readonly rules: readonly PlannedRule[];
  readonly edges: readonly (readonly [from: string, to: string])[];
  /** True if a checkpoint may add jobs. */
  readonly mayGrow: boolean;
}

interface PlannedRule {
  readonly name: string;
  /** Numbers of jobs to run, and of jobs with up-to-date results. */
  readonly jobs: number;
  readonly done: number;
}

/** A job requested by Snakemake. */
export interface RequestedJob {
  readonly kind: "job";
  /** Number of the message, used by the planner as the id of the job. */
  readonly request: number;
  readonly rule: string;
  readonly name: string;
  readonly key: string;
  readonly shown: string;
  /** A shell script, or a program with arguments. */
  readonly command: string | readonly [string, ...string[]];
  readonly image: string | null;
  /** True if the command is a call of Snakemake, which is missing in some images. */
  readonly needsSnakemake: boolean;
  readonly threads: number;
  readonly memoryMb: number;
  readonly tmpdir: string | null;
  /** Variables set by the Snakefile. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files of the workspace for the messages of the rule. */
  readonly logs: readonly string[];
  /** The environment named in the rule and ignored: `conda: env.yaml`. */
  readonly unused: string | null;
  /** Snakemake's number of the attempt. */
  readonly try: number;
  /** Under REANA's names. */
  readonly resources: Readonly<Record<string, unknown>>;
  readonly reason: Reason | null;
}

/** Tells why Snakemake runs a job. */
export interface Reason {
  /** Facts, each with its file as evidence. */
  readonly facts: readonly (readonly [kind: string, file: string | null])[];
  readonly sentence: string;
}

/** A job of a dry run. */
export interface PlannedJob extends Pick<RequestedJob, "name" | "key" | "shown"> {
  /** Reason to run. Null if the outputs are up to date. */
  readonly reason: Reason | null;
}

/** A line of a dry run. `new`: Snakemake has never run in the workspace. */
export type PlannedLine =
  | { readonly kind: "job"; readonly job: PlannedJob }
  | { readonly kind: "end"; readonly mayGrow: boolean }
  | { readonly kind: "new" };

export interface NumberedMessage {
  readonly attempt: number;
  readonly number: number;
  /** Null if the planner wrote an invalid message. */
  readonly message: Message | null;
}

const NAME_MAX = 500;
const RULES_MAX = 10_000;
const THREADS_MAX = 4096;
const LOGS_MAX = 10;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads a line. Returns undefined for a line without a number or without JSON, as left by a crash. */
export function maybeMessage(line: string): NumberedMessage | undefined {
  const [, digits, text = ""] = /^([1-9]\d{0,14}) (\{.*)$/.exec(line) ?? [];
  const body = digits === undefined ? undefined : maybeJson(text);
  if (!isObject(body) || !isCount(body.attempt)) return undefined;
  const number = Number(digits);
  return { attempt: body.attempt, number, message: messageOf(body, number) };
}

/** The files that a requested job declares, relative to the workspace. */
export interface DeclaredFiles {
  /** Key of the job. */
  readonly key: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Reads the files of a job from a line. Returns undefined for any other line, and for a planner of an earlier version. */
export function maybeDeclaredFiles(line: string): DeclaredFiles | undefined {
  const body = maybeJson(/^\d+ (\{.*)$/.exec(line)?.[1] ?? "");
  if (!isObject(body) || body.kind !== "job" || typeof body.key !== "string") return undefined;
  const { key, reads, writes } = body;
  if (!Array.isArray(reads) || !Array.isArray(writes)) return undefined;
  return { key, reads: reads.filter(isPlainFile), writes: writes.filter(isPlainFile) };
}

/** Reads a line of a dry run that begins with the mark. Returns undefined for any other line. */
export function maybePlannedLine(line: string, mark: string): PlannedLine | undefined {
  const body = line.startsWith(`${mark} {`) ? maybeJson(line.slice(mark.length + 1)) : undefined;
  if (!isObject(body)) return undefined;
  const { kind, name, key, shown, reason } = body;
  if (kind === "new") return { kind };
  if (kind === "end") return { kind, mayGrow: body.may_grow === true };
  if (kind !== "job" || !isName(name) || !isName(key) || typeof shown !== "string") return undefined;
  return { kind, job: { name, key, shown, reason: reasonOf(reason) } };
}

type Body = Readonly<Record<string, unknown>>;

function messageOf(body: Body, number: number): Message | null {
  if (body.kind === "plan") return planOf(body);
  return body.kind === "job" ? requestOf(body, number) : null;
}

function planOf({ steps, rules, edges, may_grow: mayGrow }: Body): PlanMessage | null {
  if (!isCount(steps) || !Array.isArray(rules) || !Array.isArray(edges) || rules.length > RULES_MAX)
    return null;
  if (!rules.every(isRule) || !edges.every(isEdge)) return null;
  const names = new Set(rules.map(({ name }) => name));
  const known = edges.filter(([from, to]) => names.has(from) && names.has(to));
  return { kind: "plan", steps, rules, edges: known, mayGrow: mayGrow === true };
}

function isRule(rule: unknown): rule is PlannedRule {
  return isObject(rule) && isName(rule.name) && isCount(rule.jobs) && isCount(rule.done);
}

function isEdge(edge: unknown): edge is readonly [string, string] {
  return Array.isArray(edge) && edge.length === 2 && edge.every((name) => typeof name === "string");
}

function requestOf(body: Body, request: number): RequestedJob | null {
  const { rule, name, key, shown, command, image, threads, try: count, resources, tmpdir } = body;
  if (!isName(rule) || !isName(name) || typeof key !== "string" || key === "" || !isCommand(command))
    return null;
  if (!isCount(threads) || threads < 1 || !isCount(count)) return null;
  return {
    kind: "job",
    request,
    rule,
    name,
    key,
    command,
    threads: Math.min(threads, THREADS_MAX),
    try: count,
    shown: typeof shown === "string" ? shown : "",
    image: typeof image === "string" && image !== "" ? image : null,
    needsSnakemake: body.needs_snakemake === true,
    memoryMb: isCount(body.memory_mb) ? body.memory_mb : 0,
    tmpdir: typeof tmpdir === "string" ? tmpdir : null,
    logs: Array.isArray(body.logs) ? body.logs.filter(isPlainFile).slice(0, LOGS_MAX) : [],
    unused: isName(body.unused) ? body.unused : null,
    environment: isObject(body.environment) ? variablesOf(body.environment) : {},
    resources: isObject(resources) ? resources : {},
    reason: reasonOf(body.reason),
  };
}

function reasonOf(reason: unknown): Reason | null {
  if (!isObject(reason) || typeof reason.sentence !== "string" || !Array.isArray(reason.facts)) return null;
  const facts = reason.facts.filter(
    (fact): fact is [string, string | null] =>
      Array.isArray(fact) && typeof fact[0] === "string" && (fact[1] === null || typeof fact[1] === "string"),
  );
  return { facts, sentence: reason.sentence };
}

function variablesOf(environment: Body): Record<string, string> {
  const variables = Object.entries(environment).filter(
    (one): one is [string, string] => VARIABLE_NAME.test(one[0]) && typeof one[1] === "string",
  );
  return Object.fromEntries(variables);
}

function isCommand(command: unknown): command is RequestedJob["command"] {
  if (typeof command === "string") return command !== "";
  return Array.isArray(command) && command.length > 0 && command.every((one) => typeof one === "string");
}

function isPlainFile(path: unknown): path is string {
  return typeof path === "string" && isPlainPath(path);
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= NAME_MAX;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
