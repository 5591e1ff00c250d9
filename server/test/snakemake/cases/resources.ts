import type { Part } from "./case.ts";

/** Demands of rules: threads, memory, groups, a folder for temporary files. */
export const RESOURCES: Part = {
  name: "threads, resources, groups and temporary folders",
  targets: `
        "threads.txt", "fraction.txt", "memory.txt", "local.txt", "grouped.txt", "tmp.txt", "priority.txt",
        "served.txt", "environment.txt"`,
  rules: `
localrules: local
rule threads:
    output: "threads.txt"
    threads: 64
    shell: "echo {threads} > {output}"
rule fraction:
    output: "fraction.txt"
    threads: workflow.cores * 0.5
    shell: "echo {threads} $OMP_NUM_THREADS > {output}"
rule memory:
    input: "data.txt"
    output: "memory.txt"
    resources: mem_mb=lambda wildcards, input, attempt: 10 * attempt + len(input), disk_mb=20, kind="odd"
    shell: "echo {resources.mem_mb} {resources.disk_mb} {resources.kind} > {output}"
rule local:
    output: "local.txt"
    shell: "echo local > {output}"
rule member:
    output: temp("members/{n}.txt")
    group: "members"
    shell: "echo {wildcards.n} > {output}"
rule grouped:
    input: expand("members/{n}.txt", n=range(3))
    output: "grouped.txt"
    group: "members"
    shell: "cat {input} > {output}"
rule tmp:
    output: "tmp.txt"
    resources: tmpdir="scratch"
    shell: 'basename "$TMPDIR" > {output}; basename {resources.tmpdir} >> {output}'
rule priority:
    output: "priority.txt"
    priority: 50
    shell: "echo first > {output}"
rule serve:
    output: service("server.socket")
    shell: "echo ready > {output}; sleep 1000"
rule served:
    input: "server.socket"
    output: "served.txt"
    shell: "cat {input} > {output}"
rule environment:
    output: "environment.txt"
    shell: 'echo "\${{HOME:+home}} $(pwd | wc -l) {workflow.default_target}" > {output}'
`,
  files: {
    "data.txt": "12345\n",
  },
};

/**
 * A rule that is tried again. The rule has a Snakefile of its own: if a job ends at the moment of the retry,
 * Snakemake sometimes forgets the retried job and fails (issue 823 of Snakemake).
 */
export const RETRIES: Part = {
  name: "retries",
  targets: `"tried.txt"`,
  rules: `
rule tried:
    output: "tried.txt"
    retries: 2
    resources: attempt=lambda wildcards, attempt: attempt
    shell: "[ {resources.attempt} = 3 ] && echo {resources.attempt} > {output}"
`,
  files: {},
};
