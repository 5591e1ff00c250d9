import type { PodParts } from "#backends/kubernetes/pod-parts";

/** Settings of the server for the Pods of jobs. */
export interface PodSettings {
  /** The token of the folder of records. */
  readonly records: string;
  /** User and group of the server. Jobs have its group, and its user unless the step names another one. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** The claim that holds the data folder, and the folder where it is mounted here. Default: the nodes see the same paths. */
  readonly claim?: { readonly name: string; readonly root: string } | undefined;
  /** The image of jobs without an image. */
  readonly defaultImage?: string | undefined;
  readonly pullImages: "always" | "missing" | "never";
  readonly pullTimeoutMs: number;
  /** Parts that the administrator adds to each Pod. */
  readonly parts?: PodParts | undefined;
  /** Time after which the Kerberos ticket of a running job is renewed. Default: an hour. */
  readonly ticketRenewalSeconds?: number | undefined;
}
