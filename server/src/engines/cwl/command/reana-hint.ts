import { backendChoice } from "#engines/steps/backend-choice";
import {
  type Credentials,
  credentialChoice,
  cvmfsMounts,
  userChoice,
} from "#engines/steps/container-demands";
import { memoryBytes, timeLimitMs } from "#engines/steps/limits";
import type { Limits, Job } from "#workflow/job/job";
import type { Specification } from "#workflow/specification/specification";

type Hint = Readonly<Record<string, unknown>>;

/** Returns the demands of the hint `reana` and the specification: backend, user, credentials, folders of CVMFS. */
export function reanaDemands(
  hint: Hint,
  specification: Specification,
): Credentials & Pick<Job, "backend" | "user" | "mounts"> {
  return {
    ...backendChoice(hint),
    ...userChoice(hint),
    ...credentialChoice(hint, specification),
    ...cvmfsMounts(specification),
  };
}

/** Returns the limits of the hint with the tool's own: the smaller time counts. */
export function limitsWith(hint: Hint, toolTimeMs: number | undefined): Pick<Job, "limits"> {
  const times = [timeLimitMs(hint) ?? undefined, toolTimeMs].filter((one) => one !== undefined);
  const bytes = memoryBytes(hint);
  const limits: Limits = {
    ...(times.length > 0 && { timeMs: Math.min(...times) }),
    ...(bytes > 0 && { memoryBytes: bytes }),
  };
  return Object.keys(limits).length > 0 ? { limits } : {};
}
