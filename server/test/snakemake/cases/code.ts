import type { Case } from "./case.ts";

/** Rules that run a shell, scripts of two languages, Python in the Snakefile, modules. */
export const CODE: Case = {
  name: "scripts, run blocks, modules, includes, shells and hooks",
  files: {
    Snakefile: `
import os
os.environ["DATABASE"] = "production 'one'\\nof two"
os.environ["PATH"] += ":" + os.path.abspath("programs")
config["word"] = "main"
include: "rules/more.smk"
module other:
    snakefile: "modules/Snakefile"
    prefix: "other"
    config: {"word": "given"}
use rule * from other as other_*
use rule said from other as other_said with:
    params: word="changed"
onstart:
    shell("echo started > started.txt")
onsuccess:
    shell("echo succeeded > succeeded.txt")
shell.prefix("set -eu; export GREETING=hello; ")
rule all:
    input: "python.txt", "shell.txt", "lines.txt", "included.txt", "other/said.txt", "other/told.txt", "other/configured.txt", "variables.txt",
        "inherited.txt", "prefixed.txt", "perl.txt", "logged.txt", "piped.txt", "benchmarked.txt", "aside.txt"
    default_target: True
rule variables:
    output: "variables.txt"
    shell: "echo $DATABASE > {output}; basename \${{PATH##*:}} >> {output}; echo $OMP_NUM_THREADS >> {output}"
rule python:
    input: "data/words.txt"
    output: "python.txt"
    params: times=2
    threads: 2
    log: "logs/python.log"
    script: "scripts/repeat.py"
rule bash:
    input: words="data/words.txt"
    output: "shell.txt"
    script: "scripts/count.sh"
rule lines:
    input: "data/words.txt"
    output: "lines.txt"
    run:
        shell("wc -l < {input} > {output}")
        with open(output[0], "a") as out:
            for line in shell("sort {input}", iterable=True): print(line, file=out)
rule base:
    output: "base.txt"
    params: word="base"
    shell: "echo {params.word} > {output}"
use rule base as inherited with:
    output: "inherited.txt"
    params: word="inherited"
rule prefixed:
    output: "prefixed.txt"
    shell: "echo $GREETING > {output}"
rule perl:
    output: "perl.txt"
    resources: shell_exec="sh"
    shell: "perl -e 'print 6 * 7' > {output}"
rule logged:
    output: "logged.txt"
    log: out="logs/out.log", err="logs/{rule_name}.log".format(rule_name="err")
    shell: "echo out > {log.out}; echo err 2> {log.err}; echo $0 | wc -l > {output}"
rule failing_pipe:
    output: "piped.txt"
    shell: "(false || true) | cat > {output}"
rule benchmarked:
    output: "benchmarked.txt"
    benchmark: repeat("benchmarks/one.tsv", 2)
    shell: "echo measured > {output}"
rule aside:
    input: "data/words.txt"
    output: "aside.txt"
    shadow: "shallow"
    shell: "cat {input} > scratch.txt; wc -w < scratch.txt > {output}"
`,
    "rules/more.smk": `
rule included:
    output: "included.txt"
    script: "../scripts/included.py"
`,
    "modules/Snakefile": `
rule said:
    output: "said.txt"
    params: word=config["word"]
    shell: "echo {params.word} > {output}"
rule configured:
    output: "configured.txt"
    shell: "echo {config[word]} > {output}"
rule told:
    output: "told.txt"
    script: "tell.py"
`,
    "modules/tell.py": 'open(snakemake.output[0], "w").write(snakemake.config["word"])\n',
    "scripts/repeat.py": `
from helpers import repeated
with open(snakemake.input[0]) as words, open(snakemake.output[0], "w") as out:
    out.write(repeated(words.read(), snakemake.params.times) + str(snakemake.threads))
with open(snakemake.log[0], "w") as log: log.write(snakemake.rule)
`,
    "scripts/helpers.py": "def repeated(text, times): return text * times\n",
    "scripts/count.sh": 'wc -w < "${snakemake_input[words]}" > "${snakemake_output[0]}"\n',
    "scripts/included.py": 'open(snakemake.output[0], "w").write(snakemake.scriptdir.split("/")[-1])\n',
    "data/words.txt": "some words\nto repeat\n",
  },
  // Times differ.
  unlike: ["benchmarks/one.tsv"],
};
