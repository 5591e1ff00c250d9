import type { PackSources } from "#operations/reports/pack/pack-sources";

/** Dependencies of the operations that make packs. */
export interface ReportServices {
  readonly packing: PackSources;
}
