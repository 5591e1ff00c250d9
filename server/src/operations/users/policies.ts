import type { AccountServices } from "#operations/users/services";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { isImagePattern } from "#runner/jobs/allowed-images";
import { transaction } from "#store/database/database";
import { listGroups, maybeGroup } from "#store/sharing/groups";
import { allPolicies, maybePolicy, putPolicy } from "#store/users/policies";
import { EVERYBODY, type Policy } from "#workflow/people/policy";

/** Policies: what the administrator allows everybody, or the members of a group. */

export interface NamedPolicy extends Policy {
  /** Name of the group, or `everybody`. */
  readonly group: string;
}

const NOTHING: Policy = { images: null, cpuMs: null, diskBytes: null, wallMs: null, maxRuns: null };

/** Returns all policies: the one for everybody first, then the policies of groups in alphabetical order. */
export async function listPolicies({ db }: Pick<AccountServices, "db">): Promise<NamedPolicy[]> {
  const names = new Map((await listGroups(db, undefined)).map(({ id, name }) => [id, name]));
  const policies = (await allPolicies(db)).map(({ groupId, ...policy }) => ({
    ...policy,
    group: groupId === null ? EVERYBODY : names.get(groupId)!,
  }));
  const rank = ({ group }: NamedPolicy) => (group === EVERYBODY ? "" : group);
  return policies.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** Longest list of patterns, and longest pattern. */
const IMAGES_MAX = 1000;
const PATTERN_MAX_CHARACTERS = 500;

/** Changes the named fields of a policy. Null removes a field from the policy. Returns the changed policy. */
export async function setPolicy(
  { db, clock }: Pick<AccountServices, "db" | "clock">,
  group: string,
  change: Partial<Policy>,
): Promise<NamedPolicy> {
  refuseImages(change.images ?? []);
  const policy = await transaction(db, async (tx) => {
    const found = group === EVERYBODY ? { id: null } : await maybeGroup(tx, group);
    if (!found) {
      throw new Refusal(
        "absent",
        `There is no group ${printable(group, 100)}. Name a group, or "${EVERYBODY}" for all users.`,
      );
    }
    const { groupId: _, ...before } = (await maybePolicy(tx, found.id)) ?? { groupId: null, ...NOTHING };
    const after = { ...before, ...change };
    await putPolicy(tx, found.id, after, clock.now());
    return after;
  });
  crashPoint("policy-set");
  return { group, ...policy };
}

function refuseImages(images: readonly string[]): void {
  const wrong = images.find((one) => one.length > PATTERN_MAX_CHARACTERS || !isImagePattern(one));
  if (wrong !== undefined) {
    throw new Refusal(
      "malformed",
      `"${printable(wrong, 100)}" is no pattern of images: give names such as python:3.12 or docker.io/library/*.`,
    );
  }
  if (images.length > IMAGES_MAX)
    throw new Refusal("malformed", `A policy has at most ${IMAGES_MAX} patterns of images.`);
}
