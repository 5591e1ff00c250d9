import type { Place } from "#backends/record/place";
import { messageOf } from "#plumbing/errors";

/** Returns why the cluster cannot be reached from here. Undefined if it lists its jobs. */
export async function placeProblem(place: Place): Promise<string | undefined> {
  try {
    await place.list({ isWhole: false });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
