import type { Deposits } from "#sources/deposits/open-deposits";
import type { PackSources } from "#operations/reports/pack/pack-sources";

/** Dependencies of the operations that make packs and publish runs. */
export interface ReportServices {
  readonly packing: PackSources;
  readonly deposits: Deposits;
}
