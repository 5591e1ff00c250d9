import type { PlaceClaim, Places } from "#runner/places";
import type { Resources } from "#workflow/job";

interface Waiting {
  readonly claim: PlaceClaim;
  readonly onTurn: () => void;
}

/** Thousandths of a core, because whole numbers add up and subtract exactly. */
interface Amount {
  milliCores: number;
  memoryBytes: number;
}

interface Owner {
  readonly id: string;
  readonly held: Amount;
  /** The number of the last place that was given to one of this user's jobs; 0: none yet. */
  lastTurn: number;
  /** Waiting jobs by id, in the order of asking. */
  readonly waiting: Map<string, Waiting>;
}

export interface HostPlaces extends Places {
  /** Must be called when `mayStart` has changed. */
  lookForTurns(): void;
}

/**
 * Shares out a host's cores and memory. The user who holds the least is next; between equals, the one who has gone
 * without for longest (if there is one place for all, they are always equal); and among the jobs of one user, the one
 * that has waited longest. While the next job does not fit, no other passes it, so that a large job gets its turn. A
 * job that asks for more than the capacity gets all of the capacity. While `mayStart` returns false, no job gets a
 * place.
 */
export function createPlaces(available: Resources, mayStart: () => boolean = () => true): HostPlaces {
  const capacity = amountOf(available);
  const owners = new Map<string, Owner>();
  const held = new Map<string, { readonly owner: Owner; readonly amount: Amount }>();
  const inUse = { milliCores: 0, memoryBytes: 0 };
  let turns = 0;
  let isLookDue = false;

  function ownerOf(id: string): Owner {
    const known = owners.get(id);
    if (known) return known;
    const owner = { id, held: { milliCores: 0, memoryBytes: 0 }, lastTurn: 0, waiting: new Map() };
    owners.set(id, owner);
    return owner;
  }

  function take({ jobId, ownerId, resources }: PlaceClaim): void {
    if (held.has(jobId)) return;
    const owner = ownerOf(ownerId);
    const amount = atMost(amountOf(resources), capacity);
    held.set(jobId, { owner, amount });
    add(inUse, amount, 1);
    add(owner.held, amount, 1);
    owner.lastTurn = turns += 1;
  }

  function fits(resources: Resources): boolean {
    if (!mayStart()) return false;
    const wanted = atMost(amountOf(resources), capacity);
    return (
      inUse.milliCores + wanted.milliCores <= capacity.milliCores &&
      inUse.memoryBytes + wanted.memoryBytes <= capacity.memoryBytes
    );
  }

  function next(): Waiting | undefined {
    let first: Owner | undefined;
    for (const owner of owners.values()) {
      if (owner.waiting.size > 0 && (!first || isBefore(owner, first, capacity))) first = owner;
    }
    return first?.waiting.values().next().value;
  }

  function lookForTurns(): void {
    isLookDue = false;
    for (let one = next(); one && fits(one.claim.resources); one = next()) {
      ownerOf(one.claim.ownerId).waiting.delete(one.claim.jobId);
      take(one.claim);
      one.onTurn();
    }
  }

  /** Looks later in this turn of the event loop: places that are given back together are shared out together. */
  function lookSoon(): void {
    if (isLookDue) return;
    isLookDue = true;
    queueMicrotask(lookForTurns);
  }

  /**
   * Forgets users who hold nothing, but only while no job waits: a user who asks later must not pass those who have
   * waited since.
   */
  function forgetIdle(): void {
    const all = [...owners.values()];
    if (all.some((owner) => owner.waiting.size > 0)) return;
    for (const owner of all) if (isZero(owner.held)) owners.delete(owner.id);
  }

  return {
    lookForTurns: lookSoon,
    maybeTake(claim) {
      if (held.has(claim.jobId)) return true;
      if (next() || !fits(claim.resources)) return false;
      take(claim);
      return true;
    },
    take,
    wait(claim, onTurn) {
      ownerOf(claim.ownerId).waiting.set(claim.jobId, { claim, onTurn });
      lookSoon();
    },
    give(jobId) {
      const place = held.get(jobId);
      for (const owner of place ? [place.owner] : owners.values()) {
        owner.waiting.delete(jobId);
      }
      if (place) {
        held.delete(jobId);
        add(inUse, place.amount, -1);
        add(place.owner.held, place.amount, -1);
      }
      forgetIdle();
      lookSoon();
    },
  };
}

function amountOf({ cores, memoryBytes }: Resources): Amount {
  return { milliCores: Math.round(cores * 1000), memoryBytes };
}

function atMost(wanted: Amount, capacity: Amount): Amount {
  return {
    milliCores: Math.min(wanted.milliCores, capacity.milliCores),
    memoryBytes: Math.min(wanted.memoryBytes, capacity.memoryBytes),
  };
}

function add(to: Amount, amount: Amount, sign: 1 | -1): void {
  to.milliCores += sign * amount.milliCores;
  to.memoryBytes += sign * amount.memoryBytes;
}

function isZero({ milliCores, memoryBytes }: Amount): boolean {
  return milliCores === 0 && memoryBytes === 0;
}

function isBefore(one: Owner, other: Owner, capacity: Amount): boolean {
  const difference = shareOf(one, capacity) - shareOf(other, capacity);
  return difference < 0 || (difference === 0 && one.lastTurn < other.lastTurn);
}

/** Returns the user's share of the scarcer resource: half of the memory counts as much as half of the cores. */
function shareOf({ held }: Owner, capacity: Amount): number {
  return Math.max(held.milliCores / capacity.milliCores, held.memoryBytes / capacity.memoryBytes);
}
