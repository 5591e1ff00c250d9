import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const FILES = 1000;
/** Writes 1,000 files of 10 KB, the same each time, in about two seconds. */
const WRITE = `python3 -c "
import hashlib, os
os.mkdir('out')
for i in range(${FILES}):
    block = str(i).encode()
    for _ in range(1000):
        block = hashlib.sha256(block).digest()
    open(f'out/{i}', 'w').write(block.hex() * 160)
"`;

/** Repeats a deterministic run and compares its 1,000 outputs. The reference is the run itself. */
export async function verify(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const runs = runsOf(server);
  const steps = [{ name: "write", commands: [WRITE] }];
  let finished = 0;
  let newest = "";
  const run = () =>
    timed(async () => {
      newest = await runs.createFrom(
        { type: "serial", specification: { steps } },
        { outputs: { directories: ["out"] } },
      );
      await runs.start(newest);
      await runs.reach("finished", (finished += 1));
    });
  const call = async (method: string, path: string) => {
    const reply = await fetch(`${server.url}/api/workflows/${path}?access_token=${TOKEN}`, { method });
    return (await reply.json()) as { state?: string };
  };
  const repeat = () =>
    timed(async () => {
      await call("POST", `${newest}/verify`);
      await runs.reach("finished", (finished += 1));
      const { state } = await call("GET", `${newest}/verification`);
      if (state !== "identical") throw new Error(`The verification came out ${state}.`);
    });
  await run();
  const { ratio, detail } = await ratioInTurns(repeat, run);
  await server.stop();
  await removeFolder(folder);
  return [atMost("verify of a run with 1,000 outputs, ms", "the run itself", ratio, 1.3, "×", detail)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return performance.now() - beganAt;
}
