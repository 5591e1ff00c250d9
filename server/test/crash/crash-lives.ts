import { allOver, oneMoreRun } from "./crash-stories.ts";
import type { CrashWorld } from "./crash-world.ts";
import type { Exit, RealServer } from "../support/real-server.ts";
import { ServerGone } from "./asker.ts";

interface Lives {
  readonly crashAts: readonly string[];
  readonly tell: (world: CrashWorld) => Promise<void>;
  /** True if the story is played again on each server, after the server has finished what the one before left. */
  readonly isRetold: boolean;
}

/**
 * Runs a series of servers on the same data. Every server except the last is killed at its crash point. The
 * first server plays the story, and with `isRetold` every killed server does. The last server finishes the
 * remaining work and one more run. Returns the broken promises. Throws if a point is not passed, because the
 * test would prove nothing.
 */
export async function liveThrough(world: CrashWorld, { crashAts, tell, isRetold }: Lives): Promise<string[]> {
  const broken: string[] = [];
  for (const [index, crashAt] of crashAts.entries()) {
    const server = await world.startDoomed(crashAt);
    const work = async () => {
      if (index > 0) await allOver(world);
      if (index === 0 || isRetold) await tell(world);
    };
    const exit = "url" in server ? await liveUntilDeath(server, work) : server;
    if (exit.signal !== "SIGKILL") throw new Error(`${crashAt} was not passed: ${JSON.stringify(exit)}`);
    broken.push(...(await world.examine()));
  }
  const last = await world.start();
  await allOver(world);
  await oneMoreRun(world);
  return [...broken, ...(await world.judge(last))];
}

/**
 * Runs the work, then stops the server if it is still alive. The server may be killed during the work or the
 * stop.
 */
async function liveUntilDeath(server: RealServer, work: () => Promise<void>): Promise<Exit> {
  try {
    await work();
    await server.stop();
  } catch (error) {
    if (!(error instanceof ServerGone)) {
      await server.kill();
      throw error;
    }
  }
  return server.exited;
}
