import { fullNameOf } from "#operations/full-name";
import type { Caller } from "#operations/context";
import { Refusal } from "#plumbing/errors";
import { nearestWord } from "#plumbing/text/nearest-word";
import { printable } from "#plumbing/text/printable";
import type { Connection } from "#store/database/database";
import { someRunNames } from "#store/runs/run-names";
import { maybeRunByName } from "#store/runs/runs";
import type { Address } from "#workflow/run/run-name";

/** Maximum number of characters of an address that a message shows. */
const ADDRESS_SHOWN_MAX = 300;
/** Number of names searched for the nearest match. */
const NAMES_MAX = 1000;

/** Refusal of an address without a run of the caller. REANA's clients expect a special wording. */
export class AbsentRun extends Refusal {
  readonly address: string;

  constructor(address: string, nearest: string | undefined) {
    const sentence = `There is no workflow ${printable(address, ADDRESS_SHOWN_MAX)}.`;
    super("absent", nearest === undefined ? sentence : `${sentence} Did you mean ${nearest}?`, {
      errorCode: "run-not-found",
    });
    this.address = address;
  }
}

/**
 * Returns the refusal of an address without a run. It suggests a run of the caller: the newest run of the same name,
 * else the name that is spelt most alike. A name without a number has no run of that name.
 */
export async function absentRun(
  db: Connection,
  caller: Caller,
  text: string,
  address: Address,
): Promise<AbsentRun> {
  if (address.kind !== "name") return new AbsentRun(text, undefined);
  const newest = address.run && (await maybeRunByName(db, caller.id, address.name));
  if (newest && newest.status !== "deleted") return new AbsentRun(text, fullNameOf(newest));
  const names = await someRunNames(db, caller.id, NAMES_MAX);
  return new AbsentRun(text, nearestWord(address.name, names));
}
