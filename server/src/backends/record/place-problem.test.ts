import { expect, test } from "vitest";
import { BackendAwayError } from "#backends/backend";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { placeProblem } from "#backends/record/place-problem";

test("a place that lists jobs has no problem, and a place that cannot says why", async () => {
  const place = new ForkingPlace();
  expect(await placeProblem(place)).toBeUndefined();
  place.list = async () => {
    throw new BackendAwayError("Forks: the list failed: no answer.");
  };
  expect(await placeProblem(place)).toBe("Forks: the list failed: no answer.");
});
