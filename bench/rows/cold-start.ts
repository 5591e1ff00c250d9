import path from "node:path";
import { countModules, type ProcessOptions, writeModules } from "../support/modules.ts";
import { ratioInTurns } from "../support/rounds.ts";
import {
  PROGRAM,
  removeFolder,
  type ServerProcess,
  startBare,
  startReprise,
  temporaryFolder,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";

const ROUNDS = 9;

/**
 * Measures from starting the process to the first 200, on an existing data folder. Compiled code is cached, as in
 * `npm start`. The bare Fastify loads as many modules: the ratio shows what the server does besides loading.
 */
export async function coldStart(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const ours = ({ flags, environment }: Partial<ProcessOptions> = {}) =>
    startReprise(path.join(folder, "data"), {
      main: PROGRAM,
      flags: flags ?? [],
      environment: { XDG_CACHE_HOME: path.join(folder, "cache"), ...environment },
    });
  const bareWith = async (modules: number) => {
    const all = await writeModules(path.join(folder, `${modules}-modules`), modules);
    return (options?: ProcessOptions) =>
      startBare("with-modules", [all, path.join(folder, "bare-cache")], options);
  };
  await (await ours()).stop();
  const count = (await countModules(folder, ours)) - (await countModules(folder, await bareWith(0)));
  const { ratio, detail } = await ratioInTurns(timeOf(ours), timeOf(await bareWith(count)), ROUNDS);
  await removeFolder(folder);
  const against = `bare Fastify that loads ${count} modules more`;
  return [atMost("cold start to the first 200, ms", against, ratio, 2, "×", detail)];
}

function timeOf(start: () => Promise<ServerProcess>): () => Promise<number> {
  return async () => {
    const startedAt = performance.now();
    const server = await start();
    const response = await fetch(`${server.url}/api/ping`);
    if (response.status !== 200) throw new Error(`The first answer was ${response.status}.`);
    const ms = performance.now() - startedAt;
    await server.stop();
    return ms;
  };
}
