import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "#operations/context";
import type { Operations } from "#operations/operations";
import { startRun } from "#operations/runs/start/start-run";
import { stopRun } from "#operations/runs/stop-run";
import { Refusal } from "#plumbing/errors";
import { transaction } from "#store/database/database";
import { insertRun, maybeRun, type NewRun } from "#store/runs/runs";
import type { Specification } from "#workflow/specification/specification";
import type { Dice } from "../simulation/dice.ts";
import { surveySpecification } from "../support/engines/surveys.ts";

interface PersonOptions {
  readonly dice: Dice;
  readonly caller: Caller;
  /** Returns the operations of the server that is running at the moment. */
  readonly server: () => Operations;
}

/** Creates a run, starts and perhaps stops the run. Retries after an error, like a client. */
export async function insistentPerson(id: string, options: PersonOptions): Promise<void> {
  const { dice, caller, server } = options;
  const insist = (ask: (on: Operations) => Promise<unknown>) => untilDone(dice, () => ask(server()));
  const run = await makeRun(id, options);
  await insist(async ({ db }) => {
    if (await maybeRun(db, id)) return;
    await transaction(db, (connection) => insertRun(connection, run));
  });
  const input = { address: id, parameters: {}, options: {} };
  await insist((on) => startRun(on, caller, input));
  if (!dice.chance(0.3)) return;
  await delay(dice.between(0, 60));
  await insist((on) => stopRun(on, caller, id));
}

/**
 * Retries until success. A request reported as failed may have been carried out, so a conflict counts as
 * success.
 */
async function untilDone(dice: Dice, ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (error instanceof Refusal && error.kind === "conflict") return;
      if (error instanceof Refusal) throw error;
      await delay(dice.between(0, 5));
    }
  }
}

async function makeRun(id: string, { dice, caller, server }: PersonOptions): Promise<NewRun> {
  const specification = someSpecification(dice);
  const list = Array.from({ length: dice.between(1, 6) }, (_, at) => `item ${at}\n`).join("");
  await server().workspaces.of(id).write("list.txt", bytesOf(list));
  return {
    id,
    ownerId: caller.id,
    workspaceId: id,
    name: "w",
    language: specification.workflow.type,
    specification,
    launcherUrl: null,
    createdAtMs: 0,
  };
}

function someSpecification(dice: Dice): Specification {
  if (dice.chance(0.5)) return surveySpecification();
  const steps = Array.from({ length: dice.between(1, 6) }, (_, at) => ({ commands: [`echo ${at}`] }));
  return { workflow: { type: "serial", specification: { steps } } };
}

async function* bytesOf(text: string): AsyncIterable<Buffer> {
  yield Buffer.from(text);
}
