import type { Engine } from "#engines/engine";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/** The module of a worker. Some expressions need much memory or time, or more than the limits allow. */
export const engine: Engine = {
  ...(surveyEngine as Engine),
  check: ({ specification }) => {
    const word = specification.workflow.specification;
    if (word === "forever") forever();
    if (word === "asleep") sleep(3000);
    return [];
  },
};

function forever(): never {
  for (;;);
}

/** Takes time without computing, as on a machine whose processors are busy. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const BOMBS: Readonly<Record<string, () => unknown>> = {
  objects() {
    const kept: object[] = [];
    for (;;) kept.push(Array.from({ length: 1000 }, (_, index) => ({ index })));
  },
  numbers() {
    const kept: number[] = [];
    for (;;) kept.push(1);
  },
  map() {
    const kept = new Map<number, number>();
    for (;;) kept.set(kept.size, 1);
  },
  slow() {
    const end = performance.now() + 100;
    while (performance.now() < end);
    return "slowly";
  },
  "large script": () => "x".repeat(1e6),
  forever,
  backtracking: () => /^(a+)+$/.test(`${"a".repeat(50)}b`),
};

export const evaluate: typeof evaluateTiny = (expression) => {
  const bomb = BOMBS[expression.source];
  return bomb ? { ok: true, value: bomb() } : evaluateTiny(expression);
};
