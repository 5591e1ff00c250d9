import type { Case } from "./case.ts";

/** A working folder of the Snakefile's own, from which all paths count. */
export const PLACES: Case = {
  name: "a working folder, a Snakefile in a folder, names with spaces and long commands",
  snakefile: "workflow/Snakefile",
  files: {
    "workflow/Snakefile": `
workdir: "work"
import hashlib
NAMES = [hashlib.sha256(str(n).encode()).hexdigest() for n in range(3000)]
rule all:
    input: "direct.txt", "scripted.txt", "run.txt", "with space/a b.txt", "many.txt", "text.txt"
rule direct:
    output: "direct.txt"
    shell: "basename $(pwd) > {output}"
rule scripted:
    output: "scripted.txt"
    script: "scripts/where.py"
rule run:
    output: "run.txt"
    run: open(output[0], "w").write(os.path.basename(os.getcwd()))
rule space:
    output: "with space/a b.txt"
    shell: "echo spaced > {output:q}"
rule long:
    output: "many.txt"
    params: names=NAMES
    shell: "echo {params.names} | wc -w > {output}"
rule text:
    output: "text.txt"
    shell:
        """
        cat > {output} <<'END'
        tab\\there, quote ' and " and \\$dollar and {{braces}} and ünï¢ode
        END
        """
`,
    "workflow/scripts/where.py":
      'import os\nopen(snakemake.output[0], "w").write(os.path.basename(os.getcwd()))\n',
  },
};
