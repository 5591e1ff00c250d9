import { declaredIn } from "../run/start/parameters.ts";

export interface CommonParameter {
  readonly name: string;
  /** The distinct values among the runs. */
  readonly values: readonly unknown[];
}

/** Returns the parameters common to all runs. */
export function commonParameters(
  definitions: readonly Parameters<typeof declaredIn>[0][],
): readonly CommonParameter[] {
  const all = definitions.map(declaredIn);
  const names = Object.keys(all[0] ?? {}).filter((name) => all.every((one) => Object.hasOwn(one, name)));
  return names.map((name) => {
    const byText = new Map(all.map((one) => [JSON.stringify(one[name]), one[name]]));
    return { name, values: [...byText.values()] };
  });
}
