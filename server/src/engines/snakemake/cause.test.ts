import { expect, test } from "vitest";
import { maybeCause } from "#engines/snakemake/cause";

/** Messages of Snakemake 9.27.1. Snakemake 8.27.1 leaves out the quotes around the first path. */
const CAUSES: readonly (readonly [sentence: string, printed: string])[] = [
  [
    "Snakefile, line 3: rule a needs data/nothere.csv, which is missing.",
    'MissingInputException in rule a in file "Snakefile", line 3:\nMissing input files for rule a:\n    output: out.txt\n    affected files:\n        data/nothere.csv',
  ],
  [
    "Snakefile, line 1: rule all needs a, b, c and 2 more, which are missing.",
    'MissingInputException in rule all in file "Snakefile", line 1:\nMissing input files for rule all:\n    affected files:\n        a\n        b\n        c\n        d\n        e',
  ],
  [
    "rules/b.smk, line 7: Cyclic dependency on rule a.",
    'CyclicGraphException in rule a in file "rules/b.smk", line 7:\nCyclic dependency on rule a.',
  ],
  [
    "Snakefile, line 3: rule a: Wildcards in input files cannot be determined from output files: 's'.",
    "WildcardError in rule a in file \"Snakefile\", line 3:\nWildcards in input files cannot be determined from output files: (rule a, line 10, Snakefile)\n's'",
  ],
  [
    'Target rules may not contain wildcards. Name a rule "all".',
    'WorkflowError:\nTarget rules may not contain wildcards. Name a rule "all".',
  ],
  [
    "Snakefile, line 1: rule a: AttributeError: 'Params' object has no attribute 'm'.",
    "RuleException in rule a in file \"Snakefile\", line 1:\nAttributeError: 'Params' object has no attribute 'm', when formatting the following:\necho {params.m} > {output}",
  ],
  [
    "Snakefile, line 2: SyntaxError: invalid syntax. Perhaps you forgot a comma?",
    "SyntaxError in file \"Snakefile\", line 2:\ninvalid syntax. Perhaps you forgot a comma?:\n    shell: 'true'",
  ],
  [
    "Snakefile, line 2: SyntaxError: Colon expected after keyword shell.",
    'SyntaxError in file "Snakefile", line 2:\nColon expected after keyword shell.:\nNone',
  ],
  [
    "The Snakefile or a file that it includes, line 3: IndentationError: unindent does not match any outer indentation level.",
    'IndentationError in file "<tokenize>", line 3:\nunindent does not match any outer indentation level:',
  ],
  [
    "Snakefile, line 1: FileNotFoundError: No such file or directory: 'rules/no.smk'.",
    "FileNotFoundError in file \"Snakefile\", line 1:\n[Errno 2] No such file or directory: 'rules/no.smk'",
  ],
  [
    "Snakefile, line 1: ModuleNotFoundError: No module named 'nosuchmodule'.",
    'ModuleNotFoundError in file "Snakefile", line 1:\nNo module named \'nosuchmodule\'\n  File "Snakefile", line 1, in <module>',
  ],
  [
    "Snakefile, line 2: KeyError: 'samples'.",
    'KeyError in file "Snakefile", line 2:\n\'samples\'\n  File "Snakefile", line 2, in <module>',
  ],
  [
    "Snakefile, line 2: rule a: KeyError: 'samples'.",
    'InputFunctionException in rule a in file "Snakefile", line 1:\nError:\n  KeyError: \'samples\'\nWildcards:\nTraceback:\n  File "Snakefile", line 2, in <lambda> (rule a, line 1, Snakefile)',
  ],
  [
    "Rules one and two are ambiguous for the file a.",
    "AmbiguousRuleException:\nRules one and two are ambiguous for the file a.\nWildcards:",
  ],
  [
    "FileNotFoundError: No such file or directory: 'scripts/no.py'.",
    "Traceback (most recent call last):\n  File \"/opt/snakemake/sourcecache.py\", line 213, in mtime\nFileNotFoundError: [Errno 2] No such file or directory: 'scripts/no.py'",
  ],
  [
    "Snakefile, line 5: KeyError: 'k'.",
    'RuleException:\nKeyError in file "Snakefile", line 5:\n\'k\'\n  File "Snakefile", line 5, in __rule_a',
  ],
  [
    "Snakefile, line 9: ValueError: no such channel.",
    'ValueError in file "/opt/lib/numbers.py", line 70:\nno such channel\n  File "/opt/lib/numbers.py", line 70, in read\n  File "Snakefile", line 9, in <module>',
  ],
  [
    "Snakefile, line 1: rule a succeeded without making x.",
    'MissingOutputException in rule a in file "Snakefile", line 1:\nJob 0 completed successfully, but some output files are missing:\nx (missing locally, parent dir not present)',
  ],
  [
    "Snakefile, line 1: Workflow defines configfile config/config.yaml but it is not present.",
    'WorkflowError in file "Snakefile", line 1:\nWorkflow defines configfile config/config.yaml but it is not present.',
  ],
  [
    "RecursionError: maximum recursion depth exceeded in comparison.",
    "WorkflowError:\nRecursionError: maximum recursion depth exceeded in comparison\nIf building the DAG exceeds",
  ],
  [
    "ValueError: the script fails.",
    "Traceback (most recent call last):\nValueError: the script fails\nRuleException:\nCalledProcessError in file \"Snakefile\", line 3:\nCommand 'python' returned non-zero exit status 1.",
  ],
];

test.each(CAUSES)("%s", (sentence, printed) => {
  expect(maybeCause(printed.split("\n"))).toBe(sentence);
  const ofOld = printed.replace(/^(\w+.*? in file )"([^"]+)"(?=, line \d+:$)/gm, "$1$2");
  expect(maybeCause(ofOld.split("\n"))).toBe(sentence);
});

test.each([
  "",
  "Killed",
  "Job stats:\njob   count",
  "CalledProcessError in file \"Snakefile\", line 3:\nCommand 'x'",
])("lines without a cause give none: %j", (printed) => {
  expect(maybeCause(printed.split("\n"))).toBeUndefined();
});
