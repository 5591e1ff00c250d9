import type { JobFeature } from "#workflow/capabilities";

/** The features that the supervisor of a record enforces on every node. */
export const RECORD_FEATURES: readonly JobFeature[] = ["time-limit", "output-limit", "memory-limit"];
