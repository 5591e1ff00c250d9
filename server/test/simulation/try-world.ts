import { messageOf } from "#plumbing/errors";
import { watchChanges } from "./change-log.ts";
import { SharedDatabase } from "./shared-database.ts";
import { type Story, World } from "./world.ts";

export interface Outcome {
  readonly seed: number;
  readonly runs: number;
  readonly coverage: ReadonlyMap<string, number>;
  readonly failure: string | undefined;
}

/** Tries a series of worlds over one database. */
export class Worlds {
  #database: SharedDatabase | undefined;

  async try(seed: number, story?: Story): Promise<Outcome> {
    const database = this.#database ?? (await opened());
    this.#database = undefined;
    const world = new World(seed, database, story);
    const stopListening = failOnUnhandled(world);
    try {
      await world.run();
      // The database of a failed world may still be held, so the next world gets a new database.
      if (world.failure === undefined) {
        await database.empty();
        this.#database = database;
      }
    } catch (error) {
      world.fail(`The world ended with an error: ${error instanceof Error ? error.stack : messageOf(error)}`);
    } finally {
      for (const host of world.hosts) host.life?.end();
      stopListening();
    }
    return { seed, runs: world.witness.runs.size, coverage: world.coverage.counts, failure: world.failure };
  }
}

async function opened(): Promise<SharedDatabase> {
  const database = await SharedDatabase.open();
  await watchChanges(database);
  return database;
}

/** Fails the world on an unhandled rejection, which would end a server. */
function failOnUnhandled(world: World): () => void {
  const listener = (error: unknown) => world.fail(`Nobody looked at an error: ${messageOf(error)}`);
  process.on("unhandledRejection", listener);
  return () => void process.off("unhandledRejection", listener);
}
