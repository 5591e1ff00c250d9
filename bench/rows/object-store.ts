import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { glob, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { conformanceEnvironment } from "../../server/test/support/conformance-environment.ts";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import {
  removeFolder,
  type RepriseProcess,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const S3 = path.join(import.meta.dirname, "..", "..", "conformance", "s3");
const SECRET = "LAB";
const ROUNDS = 3;
/** The stand-in for S3 uses 8 ms of its processor for an object: more objects would measure the stand-in for minutes. */
const FILES = 200;
const BYTES = 100_000;
const LARGE_BYTES = 2 ** 28;

/** Inputs from a local S3 service and outputs to it, against boto3, which moves the same objects with ten threads. */
export async function objectStore(): Promise<Row[]> {
  const [folder, other] = [await temporaryFolder(), await temporaryFolder()];
  const store = await startStore(path.join(await conformanceEnvironment("s3"), "bin", "python"));
  const server = await startReprise(folder, {
    environment: {
      REPRISE_S3_ENDPOINT: store.url,
      REPRISE_DATA_HTTP_HOSTS: "127.0.0.1",
      REPRISE_DATA_PRIVATE_HOSTS: "127.0.0.1",
    },
  });
  try {
    return await measured(server, store, other);
  } finally {
    await Promise.all([server.stop(), store.close()]);
    await Promise.all([removeFolder(folder), removeFolder(other)]);
  }
}

async function measured(
  server: RepriseProcess,
  { client }: Awaited<ReturnType<typeof startStore>>,
  folder: string,
): Promise<Row[]> {
  await client("fill", "small/", String(FILES), String(BYTES));
  await client("fill", "large/", "1", String(LARGE_BYTES));
  await addSecret(server);
  const run = runner(server);
  let count = 0;
  const next = () => (count += 1);
  const fetched = (prefix: string) => async () => {
    await emptyStore(server);
    return run({ address: `s3://lab/${prefix}` });
  };
  const theirs = (prefix: string) => () =>
    client("download", prefix, path.join(folder, `${prefix}${next()}`));
  const small = await ratioInTurns(fetched("small/"), theirs("small/"), ROUNDS);
  const again = await ratioInTurns(() => run({ address: "s3://lab/small/" }), fetched("small/"), ROUNDS);
  const large = await ratioInTurns(fetched("large/"), theirs("large/"), ROUNDS);
  const outputs = {
    directories: ["small"],
    destination: { address: "s3://lab/out", credentials: SECRET },
  };
  const published = await ratioInTurns(
    () => run({ address: "s3://lab/small/" }, outputs),
    // The first folder that the client has filled.
    () => client("upload", `theirs-${next()}/`, path.join(folder, "small", "1")),
    ROUNDS,
  );
  const boto = "boto3 with ten threads";
  return [
    atMost("200 inputs of 100 kB from S3, ms", boto, small.ratio, 1.5, "×", small.detail),
    atMost("the same 200 inputs again, ms", "the first time", again.ratio, 0.1, "×", again.detail),
    atMost("an input of 256 MiB from S3, ms", boto, large.ratio, 1.5, "×", large.detail),
    atMost("publishing 200 outputs, ms", boto, published.ratio, 1.5, "×", published.detail),
  ];
}

/** Returns a function that runs a workflow with these inputs and outputs to its end, and returns the milliseconds. */
function runner(server: RepriseProcess): (input: object, outputs?: object) => Promise<number> {
  const runs = runsOf(server);
  let finished = 0;
  return async (input, outputs) => {
    const workflow = { type: "serial", specification: { steps: [{ commands: ["true"] }] } };
    const id = await runs.createFrom(workflow, {
      inputs: { directories: [{ ...input, credentials: SECRET }] },
      ...(outputs && { outputs }),
    });
    const beganAt = performance.now();
    await runs.start(id);
    await runs.reach("finished", (finished += 1));
    return performance.now() - beganAt;
  };
}

/** Removes the stored contents of inputs, so that the server fetches all bytes. */
async function emptyStore({ dataFolder }: RepriseProcess): Promise<void> {
  const store = path.join(dataFolder, "contents", "sha256");
  for await (const file of glob(path.join(store, "*", "*"))) await rm(file);
}

/** Adds keys. The service accepts any. */
async function addSecret({ url }: RepriseProcess): Promise<void> {
  const value = Buffer.from("any:any").toString("base64");
  const { ok, status } = await fetch(`${url}/api/secrets?access_token=${TOKEN}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ [SECRET]: { type: "env", value } }),
  });
  if (!ok) throw new Error(`The secret was answered with ${status}.`);
}

/** Starts moto with an empty bucket. It accepts any keys. */
async function startStore(python: string) {
  const child = spawn(python, [path.join(S3, "serve.py"), "--open"], { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout });
  let url = "";
  for await (const line of lines) {
    if (!line.startsWith("{")) continue;
    ({ url } = JSON.parse(line) as { url: string });
    break;
  }
  return {
    url,
    /** Returns the milliseconds that the client prints. */
    async client(...args: readonly string[]): Promise<number> {
      const { stdout } = await promisify(execFile)(python, [path.join(S3, "client.py"), url, ...args]);
      return Number(stdout);
    },
    async close() {
      const exited = once(child, "exit");
      child.stdin.end();
      await exited;
    },
  };
}
