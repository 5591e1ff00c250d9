import Type from "typebox";
import { oneOf } from "#api/http/schemas";
import { DRAINING, type DrainState } from "#operations/service/drain";

export const DrainRecord = Type.Object(
  {
    draining: oneOf(DRAINING),
    runs_under_way: Type.Integer({ description: "Runs that this server drives; at 0 it has nothing to do." }),
    runs_queued: Type.Integer({ description: "Runs that wait for their turn, of all users." }),
  },
  { title: "Drain" },
);

export function drainRecord({ draining, underWay, queued }: DrainState) {
  return { draining, runs_under_way: underWay, runs_queued: queued };
}
