import type { ReportServices } from "#operations/reports/services";
import type { RunServices } from "#operations/runs/services";
import type { ServerServices } from "#operations/service/services";
import type { WatchServices } from "#operations/watch/services";

/** Dependencies of all operations; `app/compose.ts` puts them together once. Each folder sees only its own. */
export interface Operations extends RunServices, WatchServices, ServerServices, ReportServices {}
