import fc from "fast-check";

/** A stage of a generated workflow. The stages of each workflow are called `s0`, `s1`, … */
export interface Plan {
  /** The stage whose outputs are used, and the kind of use. */
  readonly uses: Use | null;
  /** Stages to wait for, in addition to the used stage. There is no stage `s4`. */
  readonly waits: readonly number[];
  readonly scatters: boolean;
  /** True if the step publishes only after its job. */
  readonly isLate: boolean;
  /** True if the output is registered as the value `k0`, `k1`, … */
  readonly registers: boolean;
  /** The workflow added in place of a step. */
  readonly inner: readonly Plan[] | null;
}

export interface Use {
  readonly how: (typeof HOW)[number];
  readonly stage: number;
  /** A stage, or the number of a value, in the workflows of that stage. */
  readonly inner: number;
  readonly flatten: boolean;
  readonly unwrap: boolean;
}

/**
 * - step: the outputs of one node of a stage;
 * - stages: the outputs of all nodes of a stage;
 * - inside: the outputs of a stage in every workflow of another stage;
 * - first: the same in the first of these workflows;
 * - value: a value that was registered in this workflow;
 * - registered: a value that was registered in every workflow of a stage;
 * - value-of: the same in the first of these workflows.
 */
const HOW = ["stages", "inside", "first", "registered", "value", "value-of", "step"] as const;

const OF_WORKFLOWS = ["inside", "first", "registered", "value-of", "value"] as const;
const OF_STEPS = ["stages", "value", "step"] as const;

export const NUMBERS = [1, [2, 3], [], [[4, 5], 6]];

const useArbitrary: fc.Arbitrary<Use> = fc.record({
  how: fc.constantFrom(...HOW),
  stage: fc.nat(3),
  inner: fc.nat(1),
  flatten: fc.boolean(),
  unwrap: fc.boolean(),
});

const seldom = fc.nat(7).map((number) => number === 7);

interface Drawn extends Omit<Plan, "inner"> {
  readonly isOdd: boolean;
  readonly inner: readonly Drawn[] | null;
}

function planArbitrary(depth: number): fc.Arbitrary<Drawn> {
  const inner = fc.array(depth > 0 ? planArbitrary(depth - 1) : fc.constant(null as never), {
    minLength: 1,
    maxLength: 3,
    size: "max",
  });
  return fc.record({
    uses: fc.option(useArbitrary, { freq: 4 }),
    waits: seldom.chain((waits) => fc.array(fc.nat(4), { maxLength: waits ? 2 : 0 })),
    isOdd: seldom,
    scatters: fc.boolean(),
    isLate: fc.boolean(),
    registers: fc.boolean(),
    inner: depth > 0 ? fc.option(inner, { freq: 2 }) : fc.constant(null),
  });
}

/**
 * Makes most stages use an earlier stage in a suitable way, because unsuitable uses would end most runs
 * early.
 */
function sensible(plans: readonly Drawn[]): readonly Plan[] {
  return plans.map(({ isOdd, ...drawn }, index) => {
    const plan: Plan = { ...drawn, inner: drawn.inner && sensible(drawn.inner) };
    const { uses } = plan;
    if (!uses || isOdd) return plan;
    if (index === 0) return { ...plan, uses: null };
    const stage = uses.stage % index;
    const used = plans[stage]!.inner;
    const ways = used ? OF_WORKFLOWS : OF_STEPS;
    const how = ways[HOW.indexOf(uses.how) % ways.length]!;
    const unwrap = uses.unwrap && !plan.scatters;
    return { ...plan, uses: { ...uses, stage, how, unwrap, inner: uses.inner % (used?.length ?? 2) } };
  });
}

export const plansArbitrary = fc
  .array(planArbitrary(2), { minLength: 1, maxLength: 4, size: "max" })
  .map(sensible);

/** Returns the stages as a workflow of Yadage's holds them. */
export function stagesOf(plans: readonly Plan[]): object[] {
  return plans.map((plan, index) => {
    const scatter = plan.scatters ? { scatter: { method: "zip", parameters: ["n"] } } : {};
    const selfOutput = { expression_type: "stage-output-selector", stages: `s${index}`, output: "n" };
    return {
      name: `s${index}`,
      dependencies: dependenciesOf(plan),
      scheduler: {
        scheduler_type: plan.scatters ? "multistep-stage" : "singlestep-stage",
        parameters: { n: parameterOf(plan.uses) },
        ...scatter,
        ...(plan.inner ? { workflow: { stages: stagesOf(plan.inner) } } : { step: stepOf(plan) }),
        ...(plan.registers && { register_values: { [`k${index}`]: selfOutput } }),
      },
    };
  });
}

export function dependenciesOf({ uses, waits }: Plan): readonly string[] {
  const used = uses ? [`s${uses.stage}`, ...innerPath(uses)] : ["init"];
  return [...used, ...waits.map((stage) => `s${stage}`)];
}

function innerPath({ how, stage, inner }: Use): readonly string[] {
  if (how === "inside") return [`s${stage}[*].s${inner}`];
  return how === "first" ? [`s${stage}[0].s${inner}`] : [];
}

function parameterOf(uses: Use | null): object {
  if (!uses) return { step: "init", output: "n" };
  const { how, stage, inner, flatten, unwrap } = uses;
  const [path = `s${stage}`] = innerPath(uses);
  switch (how) {
    case "step":
      return { step: path, output: "n" };
    case "registered":
      return { stages: path, output: `k${inner}`, flatten, unwrap };
    case "value":
      return { expression_type: "fromvalue", key: `k${stage}` };
    case "value-of":
      return { expression_type: "fromvalue", key: `k${inner}`, scope: `s${stage}[0]` };
    default:
      return { stages: path, output: "n", flatten, unwrap };
  }
}

function stepOf({ isLate }: Plan): object {
  return {
    process: { process_type: "string-interpolated-cmd", cmd: "true" },
    environment: { environment_type: "localproc-env" },
    publisher: isLate
      ? { publisher_type: "fromyaml-pub", yamlfile: "out.yml" }
      : { publisher_type: "frompar-pub", outputmap: { n: "n" } },
  };
}
