import type { paths } from "reprise-sdk";

/** The reply of the server about one file. */
export type OriginReply = paths["/api/origin"]["get"]["responses"]["200"]["content"]["application/json"];
export type NearFile = OriginReply["nearest"][number];

/** A file with the reply of the server, and the files inside that a run has. */
export interface TracedFile {
  readonly file: string;
  readonly reply: OriginReply;
  readonly inside: readonly TracedFile[];
  /** How the file differs from the nearest files, if no run has the content. */
  readonly differences: readonly string[];
}
