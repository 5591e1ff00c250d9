import type { Verification } from "../../api/run-asks.ts";

/** Says what came out of a verification. The name of the repetition follows the sentence. */
export function verdictSentence({
  state,
  outputs,
  tolerance,
  repetition,
  step,
  is_cut: isCut,
}: Verification): string {
  const count = (verdict: string) => outputs.filter((output) => output.verdict === verdict).length;
  const cut = isCut ? " Some outputs were not recorded, and so not compared." : "";
  const whose = step === null ? "outputs" : `outputs of the step ${step}`;
  switch (state) {
    case "running":
      return `The repetition is ${repetition.status}:`;
    case "not-repeated":
      return `Not verified, because the repetition has ${repetition.status === "stopped" ? "been stopped" : repetition.status}:`;
    case "identical":
      return `All ${whose} came out identical.${cut} Repetition:`;
    case "equivalent":
      return `All ${whose} came out identical or equivalent (tolerance for numbers: ${tolerance}).${cut} Repetition:`;
    case "unknown":
      return `${count("unknown")} of ${outputs.length} ${whose} could not be compared.${cut} Repetition:`;
    case "different":
      return `${count("different")} of ${outputs.length} ${whose} came out different.${cut} Repetition:`;
  }
}
