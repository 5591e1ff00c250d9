import { describe, expect, test } from "vitest";
import { changedSettings, readConfig } from "#config/read";

const read = (env: Readonly<Record<string, string>>) => readConfig({ HOME: "/home/ada", ...env });

describe("the words of compute_backend", () => {
  test("come from lines or commas, each with its place", () => {
    const { computeBackends } = read({
      REPRISE_BACKENDS: "local,slurm",
      REPRISE_COMPUTE_BACKENDS: "batch=slurm, slurmcern = local\nbatch=slurm",
    });
    expect(computeBackends).toEqual({ batch: "slurm", slurmcern: "local" });
  });

  test.each([
    ["batch=slrum", "a place is local, slurm, htcondor, kubernetes"],
    ["batch", "such as batch=slurm"],
    ["batch=slurm,batch=local", "each word once"],
    ["ba tch=slurm", "such as batch=slurm"],
  ])("%s is refused", (text, words) => {
    const env = { REPRISE_BACKENDS: "local,slurm", REPRISE_COMPUTE_BACKENDS: text };
    expect(() => read(env)).toThrow(words);
  });

  test.each([
    [{ REPRISE_COMPUTE_BACKENDS: "batch=slurm" }, "--compute-backend batch=slurm names a place"],
    [{ REPRISE_DEFAULT_BACKEND: "slurm" }, "add it to the places (--backends local,slurm)"],
    [{ REPRISE_BACKENDS: "kubernetes", REPRISE_DEFAULT_BACKEND: "local" }, "--default-backend local names a"],
  ])("%j names a place that the server does not have", (env, sentence) => {
    expect(() => read(env)).toThrow(sentence);
  });

  test("are shown as in a settings file, and this machine is always there", () => {
    const config = read({
      REPRISE_BACKENDS: "slurm",
      REPRISE_DEFAULT_BACKEND: "local",
      REPRISE_COMPUTE_BACKENDS: "batch=slurm,here=local",
    });
    expect(changedSettings(config)).toMatchObject({
      defaultBackend: "local",
      computeBackends: "batch=slurm, here=local",
    });
  });
});
