import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import type { WorkflowStep } from "#engines/cwl/model/model";

/** Maximum number of tasks of a scatter. */
const SCATTER_MAX = 1_000_000;

/** Returns the widths of a step's scatter: a single width, or one per input of a cross product. */
export function shapeOf(
  step: WorkflowStep,
  inputs: Readonly<Record<string, unknown>>,
  what: string,
): readonly number[] {
  const { scatter, scatterMethod } = step;
  if (scatter.length === 0) return [];
  const widths = scatter.map((name) => {
    const value = inputs[name];
    if (Array.isArray(value)) return value.length;
    throw new CwlFailure(
      `${what} scatters over \`${name}\`, which is ${value === null ? "null" : "no list"}.`,
    );
  });
  if (scatterMethod !== "dotproduct") return checked(widths, what);
  if (widths.every((width) => width === widths[0])) return checked(widths.slice(0, 1), what);
  const lengths = scatter.map((name, index) => `\`${name}\` has ${widths[index]}`).join(", ");
  throw new CwlFailure(`${what} scatters over lists of different lengths: ${lengths}.`);
}

function checked(shape: readonly number[], what: string): readonly number[] {
  const width = widthOf(shape);
  if (width <= SCATTER_MAX) return shape;
  throw new CwlFailure(
    `${what} would scatter into ${shape.join(" × ")} = ${width} tasks; at most ${SCATTER_MAX} are allowed.`,
  );
}

export function widthOf(shape: readonly number[]): number {
  return shape.reduce((product, width) => product * width, 1);
}

/** Returns the inputs of one task: an item of each scattered list, and all other inputs unchanged. */
export function taskInputs(
  { scatter }: WorkflowStep,
  inputs: Readonly<Record<string, unknown>>,
  shape: readonly number[],
  index: number,
): Readonly<Record<string, unknown>> {
  if (scatter.length === 0) return inputs;
  const places = placesOf(shape, index, scatter.length);
  const items = scatter.map((name, at) => [name, (inputs[name] as readonly unknown[])[places[at]!]] as const);
  return { ...inputs, ...Object.fromEntries(items) };
}

/** Returns the position in each list. The last list of a cross product changes fastest. */
function placesOf(shape: readonly number[], index: number, lists: number): readonly number[] {
  if (shape.length === 1) return Array.from({ length: lists }, () => index);
  const places: number[] = [];
  let rest = index;
  for (const width of shape.toReversed()) {
    places.unshift(rest % width);
    rest = Math.floor(rest / width);
  }
  return places;
}

/** Arranges the values of all tasks: in one list, or in lists of lists for a nested cross product. */
export function arrangeResults(
  { scatterMethod }: WorkflowStep,
  shape: readonly number[],
  values: readonly unknown[],
): readonly unknown[] {
  if (scatterMethod !== "nested_crossproduct") return values;
  const [width = 0, ...inner] = shape;
  if (inner.length === 0) return values;
  const size = widthOf(inner);
  return Array.from({ length: width }, (_, at) =>
    arrangeResults({ scatterMethod } as WorkflowStep, inner, values.slice(at * size, (at + 1) * size)),
  );
}
