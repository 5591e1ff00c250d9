import { evaluatesNothing } from "#engines/engine";
import { scatterEngine } from "../support/engines/scatter-engine.ts";

/** The module that a worker loads to run wide scatters. */
export const engine = scatterEngine;
export const evaluate = evaluatesNothing;
