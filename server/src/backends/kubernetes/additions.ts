import type { Addition } from "#backends/kubernetes/addition";
import { cvmfsAddition } from "#backends/kubernetes/cvmfs";
import { ticketAddition } from "#backends/kubernetes/kerberos";
import type { PodSettings } from "#backends/kubernetes/pod-settings";
import type { SentJob } from "#backends/record/place";

/** Returns the parts of a Pod for CVMFS and for a Kerberos ticket. Throws a sentence if the job cannot have them. */
export function additionsOf(sent: SentJob, settings: PodSettings): Required<Addition> {
  const all: readonly Addition[] = [cvmfsAddition(sent, settings), ticketAddition(sent, settings)];
  const listed = (name: keyof Addition) => all.flatMap((one) => one[name] ?? []);
  return {
    initContainers: listed("initContainers"),
    env: listed("env"),
    volumeMounts: listed("volumeMounts"),
    volumes: listed("volumes"),
  };
}
