import { ping } from "#api/ping";
import type { Endpoint } from "#api/route";

/** All endpoints, in plain sight. */
export const ROUTES: readonly Endpoint[] = [
  ping, //                    GET    /api/ping
];
