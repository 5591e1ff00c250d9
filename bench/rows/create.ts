import path from "node:path";
import { ratioInTurns } from "../support/rounds.ts";
import { removeFolder, startBare, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atLeast, type Row } from "../support/table.ts";
import { postScript, wrk } from "../support/wrk.ts";
import { commitsAtFull } from "./commits-at-full.ts";

const SPECIFICATION = JSON.stringify({
  version: "0.9.4",
  inputs: { files: ["code/hello.py"], parameters: { name: "world", times: 3 } },
  workflow: {
    type: "serial",
    specification: {
      steps: [
        { name: "hello", environment: "python:3.12", commands: ["python code/hello.py ${name} ${times}"] },
      ],
    },
  },
  outputs: { files: ["results/greetings.txt"] },
});

export async function create(): Promise<Row[]> {
  const { ratio, detail } = await measure("normal", "NORMAL");
  return [atLeast("create, 32 at once, requests/s", "bare Fastify, one SQLite insert", ratio, 0.25, detail)];
}

/**
 * Measures with `full` durability: the bare server syncs each insert separately, as SQLite does, while the real one
 * shares a sync between concurrent commits.
 */
export async function createAtFull(): Promise<Row[]> {
  const { ratio, detail } = await measure("full", "FULL");
  return [
    atLeast(
      "create at full, 32 at once, requests/s",
      "bare Fastify, one SQLite insert with synchronous=FULL",
      ratio,
      0.5,
      detail,
    ),
    await commitsAtFull(),
  ];
}

async function measure(durability: string, synchronous: string): Promise<{ ratio: number; detail: string }> {
  const folder = await temporaryFolder();
  const script = await postScript(folder, SPECIFICATION);
  const ours = await startReprise(path.join(folder, "data"), { settings: ["--durability", durability] });
  const bare = await startBare("create", [path.join(folder, "bare.sqlite"), synchronous]);
  const speed = (url: string) => async () => {
    const load = await wrk(`${url}/api/workflows?workflow_name=w&access_token=${TOKEN}`, script);
    return load.requestsPerSecond;
  };
  const measured = await ratioInTurns(speed(ours.url), speed(bare.url));
  await Promise.all([ours.stop(), bare.stop()]);
  await removeFolder(folder);
  return measured;
}
