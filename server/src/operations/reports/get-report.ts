import type { Caller } from "#operations/context";
import { reportPage } from "#operations/reports/page/report-page";
import { type AccountContext, accountOf } from "#operations/reports/run-account";

export interface Report {
  /** Name of the file: `fit.3.html`. */
  readonly fileName: string;
  readonly html: string;
}

/** Makes the report on a run, as one HTML file. */
export async function getReport(
  context: AccountContext & { readonly version: string },
  caller: Caller,
  address: string,
): Promise<Report> {
  const account = await accountOf(context, caller, address);
  return { fileName: `${account.name}.html`, html: reportPage(account, context.version) };
}
