import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { startPostgresServer } from "../../server/src/store/dialects/postgres-server-suite.ts";
import { SERVER_FLAGS } from "../../tools/server-flags.js";
import { removeFolder, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const MANY = 100_000;
const FEW = 1000;
/** Width of a run with small pictures and lists. */
const SMALL = 100;

interface Told {
  readonly tookMs: number;
  readonly firstJobMs: number;
  readonly peakMb: number;
  readonly maxStallMs: number;
  readonly looks: Readonly<Record<"status" | "picture" | "jobs", number>>;
}

/**
 * Measures a scatter of very many jobs with files, whose engine has a separate process, and requests about
 * the run.
 */
export async function wideScatter(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const file = (name: string) => path.join(folder, `${name}.sqlite`);
  const few = await host(file("few"), FEW);
  const many = await host(file("many"), MANY);
  const small = await host(file("small"), SMALL);
  const resumed = await inTwoLives(file("two-lives"));
  await removeFolder(folder);
  const perJob = [workMs(many) / MANY, workMs(few) / FEW] as const;
  const detail = `${perJob[0].toFixed(2)} against ${perJob[1].toFixed(2)} ms`;
  return [
    atMost("a job in a scatter of 100,000", "of 1,000", perJob[0] / perJob[1], 1.2, "×", detail),
    atMost("memory of the server with it", "–", many.peakMb, 400, "MB"),
    atMost("its longest standstill of the server's loop", "–", many.maxStallMs, 200, "ms"),
    atMost("its restart in the middle, to the next job", "–", resumed.firstJobMs, 5000, "ms"),
    ...lookRows(many, small),
  ];
}

/** Returns the time from the first job to the end, without the start of the engine's process. */
function workMs({ tookMs, firstJobMs }: Told): number {
  return tookMs - firstJobMs;
}

function lookRows(many: Told, small: Told): Row[] {
  const names = { status: "status", picture: "picture", jobs: "first page of jobs" } as const;
  return Object.entries(names).map(([look, name]) => {
    const [one, other] = [many.looks[look as keyof typeof names], small.looks[look as keyof typeof names]];
    const detail = `${one.toFixed(2)} against ${other.toFixed(2)} ms`;
    return atMost(`${name} of that run, p50`, "of a run of 100", one / other, 3, "×", detail);
  });
}

/** Measures what the round trips to a database in another process cost a run. */
export async function onPostgres(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startPostgresServer();
  try {
    const near = await host(path.join(folder, "few.sqlite"), FEW);
    const far = await host(server.url(), FEW);
    const detail = `${workMs(far).toFixed(0)} against ${workMs(near).toFixed(0)} ms`;
    return [atMost("1,000 jobs on PostgreSQL", "on SQLite", workMs(far) / workMs(near), 2, "×", detail)];
  } finally {
    await server.remove();
    await removeFolder(folder);
  }
}

async function inTwoLives(file: string): Promise<Told> {
  await host(file, MANY, { dieAfter: MANY / 2 }).catch((error: { signal?: string }) => {
    if (error.signal !== "SIGKILL") throw error;
  });
  return host(file, MANY);
}

const YADAGE_MANY = 12_800;
const YADAGE_FEW = 1280;

/** Measures a scatter of Yadage, with the evidence that a restart needs. Yadage itself adds about one node in a minute. */
export async function yadageScatter(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const inFile = (width: number) => host(path.join(folder, `${width}.sqlite`), width, { language: "yadage" });
  const few = await inFile(YADAGE_FEW);
  const many = await inFile(YADAGE_MANY);
  await removeFolder(folder);
  const perNode = [workMs(many) / YADAGE_MANY, workMs(few) / YADAGE_FEW] as const;
  const detail = `${perNode[0].toFixed(2)} against ${perNode[1].toFixed(2)} ms`;
  return [
    atMost("a node in a scatter of 12,800 of Yadage", "of 1,280", perNode[0] / perNode[1], 1.3, "×", detail),
    atMost("memory of the server with it", "–", many.peakMb, 300, "MB"),
  ];
}

interface HostOptions {
  readonly language?: string;
  readonly dieAfter?: number;
}

async function host(
  database: string,
  width: number,
  { language = "test", dieAfter }: HostOptions = {},
): Promise<Told> {
  const script = path.join(import.meta.dirname, "..", "hosts", "wide-scatter.ts");
  const death = dieAfter === undefined ? [] : [String(dieAfter)];
  const args = [...SERVER_FLAGS, script, database, language, String(width), ...death];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Told;
}
