import type { Part } from "./case.ts";

/** Inputs that code decides: functions, checkpoints, scattering, conditions, wildcards of every shape. */
export const INPUTS: Part = {
  name: "input functions, constraints, scattering, checkpoints and wildcards",
  targets: `
        expand("sums/{sample}.txt", sample=SAMPLES),
        "gathered.txt", "exact.txt", "branch.txt", "odd/a b'c$d.txt", "odd/x,y=z.txt", "deep/1/2/3.txt", "grown.txt",
        "unpacked.txt", "params.txt", "linked.txt"`,
  rules: `
import os
configfile: "config.yaml"
wildcard_constraints:
    sample=r"[a-z]+"
scattergather:
    split=3
ruleorder: exact > general
SAMPLES = config["samples"]
rule part:
    output: temp("parts/{sample}_{n,\\d+}.txt")
    params: twice=lambda wildcards: int(wildcards.n) * 2
    shell: "echo {params.twice} > {output}"
def parts(wildcards):
    return [f"parts/{wildcards.sample}_{n}.txt" for n in SAMPLES[wildcards.sample]]
rule sum:
    input: parts
    output: "sums/{sample}.txt"
    run:
        total = sum(int(open(part).read()) for part in input)
        open(output[0], "w").write(f"{total}\\n")
rule split:
    output: scatter.split("scattered/{scatteritem}.txt")
    shell: "for file in {output}; do basename $file > $file; done"
rule shout:
    input: "scattered/{scatteritem}.txt"
    output: "shouted/{scatteritem}.txt"
    shell: "tr a-z A-Z < {input} > {output}"
rule gather:
    input: gather.split("shouted/{scatteritem}.txt")
    output: "gathered.txt"
    shell: "sort {input} > {output}"
rule exact:
    output: "exact.txt"
    shell: "echo exact > {output}"
rule general:
    output: "{any}.txt"
    wildcard_constraints: any="exact|other"
    shell: "echo general > {output}"
rule branch:
    input: branch(config["mode"] == "fast", then="exact.txt", otherwise="other.txt")
    output: "branch.txt"
    shell: "cp {input} {output}"
rule odd:
    output: "odd/{name}.txt"
    shell: "printf %s {wildcards.name:q} > {output:q}"
rule deep:
    output: "deep/{path}.txt"
    wildcard_constraints: path=".+"
    shell: "echo {wildcards.path} > {output}"
checkpoint grow:
    output: directory("grown")
    shell: "mkdir -p {output}; for n in 1 2 3; do echo $n > {output}/$n.txt; done"
rule square:
    input: "grown/{n}.txt"
    output: "squares/{n}.txt"
    shell: "n=$(cat {input}); echo $((n * n)) > {output}"
def squares(wildcards):
    folder = checkpoints.grow.get().output[0]
    return expand("squares/{n}.txt", n=sorted(glob_wildcards(os.path.join(folder, "{n}.txt")).n))
rule grown:
    input: squares
    output: "grown.txt"
    shell: "cat {input} > {output}"
def named(wildcards):
    return {"first": "exact.txt", "second": "branch.txt"}
rule unpacked:
    input: unpack(named)
    output: "unpacked.txt"
    shell: "cat {input.second} {input.first} > {output}"
rule params:
    input: rules.exact.output
    output: "params.txt"
    params:
        size=lambda wildcards, input: len(input),
        name=lambda wildcards, output: str(output),
        text="it's \\"a\\" $HOME",
    shell: "echo {params.size} {params.name} {params.text:q} > {output}"
rule linked:
    input: ancient("exact.txt")
    output: "linked.txt"
    shell: "ln -s $(basename {input}) {output}"
`,
  files: {
    "config.yaml": "samples: {a: [1, 2], b: [3]}\nmode: fast\n",
  },
};
