/** Returns a Yadage workflow: a job for each number, and a final job that receives all published values. */
export function mapReduce(width: number) {
  const step = (cmd: string) => ({
    process: { process_type: "string-interpolated-cmd", cmd },
    environment: { environment_type: "localproc-env" },
    publisher: { publisher_type: "frompar-pub", outputmap: { made: "made" } },
  });
  const stages = [
    {
      name: "map",
      dependencies: ["init"],
      scheduler: {
        scheduler_type: "multistep-stage",
        parameters: { n: { step: "init", output: "numbers" }, made: "{workdir}/made.txt" },
        scatter: { method: "zip", parameters: ["n"] },
        step: step("echo {n} > {made}"),
      },
    },
    {
      name: "reduce",
      dependencies: ["map"],
      scheduler: {
        scheduler_type: "singlestep-stage",
        parameters: { all: { stages: "map", output: "made" }, made: "{workdir}/made.txt" },
        step: step("cat {all} > {made}"),
      },
    },
  ];
  return { stages, parameters: { numbers: Array.from({ length: width }, (_, number) => number) } };
}
