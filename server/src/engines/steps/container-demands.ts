import type { Problem } from "#engines/problem";
import type { Job, Mount } from "#workflow/job/job";
import { isUid, maybeLowUser, UID_MAX, UID_MIN } from "#workflow/job/user-id";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { unmetWishes } from "#workflow/unmet-wishes";
import { isWished } from "#workflow/wished";

/** The group of REANA's jobs. */
const GID = 0;

/** A CVMFS repository is named like a host. */
const REPOSITORY = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

interface StepWithUser {
  readonly kubernetes_uid?: unknown;
}

/** Returns the user named in the step. */
export function userChoice({ kubernetes_uid: uid }: StepWithUser): Pick<Job, "user"> {
  return isUid(uid) ? { user: { uid: Number(uid), gid: GID } } : {};
}

/** Refuses a start if the step names an invalid user. */
export function* userProblems(step: StepWithUser, stepIndex: number): Generator<Problem> {
  const { kubernetes_uid: uid } = step;
  if (uid === undefined) return;
  const path = `workflow.specification.steps.${stepIndex}.kubernetes_uid`;
  const wanted = `a whole number from ${UID_MIN} to ${UID_MAX}`;
  if (!isUid(uid)) {
    yield {
      path,
      message: `Step ${stepIndex + 1}: kubernetes_uid is ${JSON.stringify(uid)}; it must be ${wanted}.`,
    };
    return;
  }
  const message = maybeLowUser(uid);
  if (message !== undefined) yield { path, message };
}

/** Refuses demands of the step unsupported by all backends, such as the rights of the administrator. */
export function* wishProblems(step: object, stepIndex: number): Generator<Problem> {
  const wishes = step as Readonly<Record<string, unknown>>;
  for (const [key, message] of unmetWishes(`Step ${stepIndex + 1}: it`, wishes))
    yield { path: `workflow.specification.steps.${stepIndex}.${key}`, message };
}

/** Credentials of a job. */
export type Credentials = Pick<Job, "kerberos" | "vomsProxy" | "rucio">;

interface StepWithCredentials {
  readonly kerberos?: unknown;
  readonly voms_proxy?: unknown;
  readonly rucio?: unknown;
}

/** Returns the credentials that the step needs. By default, a step inherits the settings of the workflow. */
export function credentialChoice(step: StepWithCredentials, { workflow }: Specification): Credentials {
  const inherited: StepWithCredentials = isObject(workflow.resources) ? workflow.resources : {};
  const isNeeded = (key: keyof StepWithCredentials) => isTrue(step[key] ?? inherited[key]);
  return {
    ...(isNeeded("kerberos") && { kerberos: true }),
    ...(isNeeded("voms_proxy") && { vomsProxy: true }),
    ...(isNeeded("rucio") && { rucio: true }),
  };
}

/** A demand in another spelling, such as `1` or "True" of a Snakefile, is a demand too. */
function isTrue(value: unknown): boolean {
  return isWished(value) && !/^(false|no|off)$/i.test(String(value));
}

/** Returns the folders of CVMFS visible to all steps. */
export function cvmfsMounts(specification: Specification): Pick<Job, "mounts"> {
  const mounts = repositoriesOf(specification)
    .filter(isRepository)
    .map((name): Mount => ({ from: `/cvmfs/${name}`, at: `/cvmfs/${name}`, mode: "read" }));
  return mounts.length === 0 ? {} : { mounts };
}

/** Refuses a start if a name cannot name a repository, or the repositories are not a list. */
export function* cvmfsProblems(specification: Specification): Generator<Problem> {
  const cvmfs = cvmfsIn(specification);
  if (!Array.isArray(cvmfs ?? []))
    yield {
      path: "workflow.resources.cvmfs",
      message: `resources.cvmfs is ${JSON.stringify(cvmfs)}; it must be a list of CVMFS repositories, such as [sft.cern.ch].`,
    };
  for (const [index, name] of repositoriesOf(specification).entries()) {
    if (isRepository(name)) continue;
    const message = `${JSON.stringify(name)} cannot be the name of a CVMFS repository, such as sft.cern.ch.`;
    yield { path: `workflow.resources.cvmfs.${index}`, message };
  }
}

function repositoriesOf(specification: Specification): readonly unknown[] {
  const cvmfs = cvmfsIn(specification);
  return Array.isArray(cvmfs) ? [...new Set<unknown>(cvmfs)] : [];
}

function cvmfsIn({ workflow }: Specification): unknown {
  return isObject(workflow.resources) ? workflow.resources.cvmfs : undefined;
}

function isRepository(name: unknown): name is string {
  return typeof name === "string" && name.length <= 200 && REPOSITORY.test(name);
}
