import type { Part } from "./case.ts";

/** Outputs that are more than a file: folders, empty and temporary files, pipes, checksums, updates. */
export const OUTPUTS: Part = {
  name: "folders, touched, ensured, updated and piped outputs",
  targets: `
        "listing.txt", "done/touched", "sure.txt", "piped.txt", "log.txt", "kept.txt", "lots/2.txt"`,
  rules: `
rule folder:
    output: directory("folder")
    shell: "mkdir -p {output}/deep; echo 1 > {output}/deep/a; echo 2 > {output}/b"
rule listing:
    input: "folder"
    output: "listing.txt"
    shell: "(cd {input} && find . -type f | sort) > {output}"
rule touched:
    output: touch("done/touched")
    shell: "true"
rule sure:
    output: ensure("sure.txt", non_empty=True, sha256="98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4")
    shell: "echo hi > {output}"
rule count:
    output: pipe("numbers.txt")
    shell: "seq 4 > {output}"
rule double:
    input: "numbers.txt"
    output: "piped.txt"
    shell: "while read -r n; do echo $((2 * n)); done < {input} > {output}"
rule note:
    input: "sure.txt"
    output: update("log.txt")
    shell: "cat {input} >> {output}"
rule scrap:
    output: temp("scrap.txt"), temp(directory("scraps"))
    shell: "echo scrap > {output[0]}; mkdir {output[1]}; echo more > {output[1]}/more"
rule kept:
    input: "scrap.txt", "scraps"
    output: protected("kept.txt")
    shell: "cat {input[0]} {input[1]}/more > {output}"
rule lots:
    output: expand("lots/{n}.txt", n=range(5)), other="lots/other.txt"
    shell: "for file in {output}; do echo $file > $file; done"
`,
  files: {
    "log.txt": "begun\n",
  },
};
