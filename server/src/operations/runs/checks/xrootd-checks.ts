import type { Problem } from "#engines/problem";
import { maybeProgram } from "#plumbing/files/find-program";
import { isXrootd, NO_XRDCP, remoteInputsOf, shownAddress } from "#workflow/specification/remote-inputs";
import type { Specification } from "#workflow/specification/specification";

/** Finds inputs at addresses of XRootD, if this machine has no program for them. */
export function findUnreadableInputs({ inputs }: Specification): Problem[] {
  const found = remoteInputsOf(inputs).filter(({ address }) => isXrootd(address));
  if (found.length === 0 || maybeProgram("xrdcp") !== undefined) return [];
  return found.map(({ at, address }) => ({
    path: at,
    message: `${shownAddress(address)} cannot be fetched: ${NO_XRDCP}`,
  }));
}
