import { areaOfPath } from "#api/http/document/areas";
import type { Route } from "#api/http/endpoint";
import type { RefusalKind } from "#plumbing/errors";

/** HTTP status of each kind of refusal. Areas of the API (`areas.ts`) and single endpoints may differ. */
const STATUS_OF_KIND: Readonly<Record<RefusalKind, number>> = {
  malformed: 400,
  "not-signed-in": 401,
  forbidden: 403,
  absent: 404,
  conflict: 409,
  "too-large": 413,
  "not-implemented": 501,
  unavailable: 503,
  "no-space": 507,
};

/** Returns the status of a refusal: the endpoint's own, else the area's, else the default. */
export function statusOf(kind: RefusalKind, route: Route | undefined): number {
  const area = areaOfPath(route?.path ?? "");
  return route?.statusOf?.[kind] ?? area.statusOf[kind] ?? STATUS_OF_KIND[kind];
}
