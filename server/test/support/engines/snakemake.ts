import path from "node:path";
import { conformanceEnvironment } from "../conformance-environment.ts";

/** The oldest and the newest Snakemake that run here: REANA's engine has the former. */
export const SNAKEMAKES = ["8.27.1", "9.27.1"] as const;

const ENVIRONMENTS = { "8.27.1": "snakemake-8.27.1", "9.27.1": "snakemake" } as const;

/** Returns the program of a release of Snakemake, installing it if missing. */
export async function snakemakeProgram(version: (typeof SNAKEMAKES)[number]): Promise<string> {
  return path.join(await conformanceEnvironment(ENVIRONMENTS[version]), "bin", "snakemake");
}
