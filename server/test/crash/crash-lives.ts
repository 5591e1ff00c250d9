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
 * Runs servers one after the other on the same data. Each but the last is killed at its point, the first one during the
 * story. The last one finishes what they left, and does one more run. Returns the broken promises. A point that is not
 * passed is an error: such a test would prove nothing.
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

/** Runs the work, then stops a server that has survived it. The server may be killed during either. */
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
