import type { PlaceClaim, Places } from "#runner/places";
import type { Resources } from "#workflow/job";

interface Waiting {
  readonly claim: PlaceClaim;
  readonly onTurn: () => void;
}

/** In thousandths of a core: whole numbers add up and subtract without a rest. */
interface Amount {
  milliCores: number;
  memoryBytes: number;
}

interface Owner {
  readonly id: string;
  readonly held: Amount;
  /** By job id, in the order of asking. */
  readonly waiting: Map<string, Waiting>;
}

/**
 * Shares a host's cores and memory out. Whoever holds the least of it is next, and among the jobs of one user the one
 * that has waited longest. While the next job does not fit, nobody is let past it, so that a large one gets its turn;
 * one that asks for more than there is gets all there is.
 */
export function createPlaces(available: Resources): Places {
  const capacity = amountOf(available);
  const owners = new Map<string, Owner>();
  const held = new Map<string, { readonly owner: Owner; readonly amount: Amount }>();
  const inUse = { milliCores: 0, memoryBytes: 0 };
  let isLookDue = false;

  function ownerOf(id: string): Owner {
    const known = owners.get(id);
    if (known) return known;
    const owner = { id, held: { milliCores: 0, memoryBytes: 0 }, waiting: new Map() };
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
  }

  function fits(resources: Resources): boolean {
    const wanted = atMost(amountOf(resources), capacity);
    return (
      inUse.milliCores + wanted.milliCores <= capacity.milliCores &&
      inUse.memoryBytes + wanted.memoryBytes <= capacity.memoryBytes
    );
  }

  function next(): Waiting | undefined {
    let poorest: Owner | undefined;
    for (const owner of owners.values()) {
      if (owner.waiting.size === 0) continue;
      if (!poorest || shareOf(owner, capacity) < shareOf(poorest, capacity)) poorest = owner;
    }
    return poorest?.waiting.values().next().value;
  }

  function lookForTurns(): void {
    isLookDue = false;
    for (let one = next(); one && fits(one.claim.resources); one = next()) {
      ownerOf(one.claim.ownerId).waiting.delete(one.claim.jobId);
      take(one.claim);
      one.onTurn();
    }
  }

  /** Later in this turn of the event loop: what is given back together is shared out together. */
  function lookSoon(): void {
    if (isLookDue) return;
    isLookDue = true;
    queueMicrotask(lookForTurns);
  }

  function forgetIfIdle(owner: Owner): void {
    if (owner.waiting.size === 0 && owner.held.milliCores === 0 && owner.held.memoryBytes === 0) {
      owners.delete(owner.id);
    }
  }

  return {
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
        if (owner.waiting.delete(jobId)) forgetIfIdle(owner);
      }
      if (place) {
        held.delete(jobId);
        add(inUse, place.amount, -1);
        add(place.owner.held, place.amount, -1);
        forgetIfIdle(place.owner);
      }
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

/** Of what there is more scarce for this user: half of the memory counts as much as half of the cores. */
function shareOf({ held }: Owner, capacity: Amount): number {
  return Math.max(held.milliCores / capacity.milliCores, held.memoryBytes / capacity.memoryBytes);
}
