import type { RunServices } from "#operations/runs/services";
import { maybePolicyProblem } from "#runner/jobs/allowed-images";
import { policiesOf } from "#store/users/policies";
import { effectivePolicy } from "#workflow/people/policy";

/** Returns why the server's first backend, or the policies of a user, do not allow one of these images. */
export async function maybeImageRefusal(
  { capabilities, db }: Pick<RunServices, "capabilities" | "db">,
  userId: string,
  images: readonly string[],
): Promise<string | undefined> {
  const [backend] = capabilities.backends;
  if (!backend?.imageProblem || images.length === 0) return undefined;
  const { images: allowed } = effectivePolicy(await policiesOf(db, userId));
  for (const image of images) {
    const problem = backend.imageProblem(image) ?? maybePolicyProblem(image, allowed);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
