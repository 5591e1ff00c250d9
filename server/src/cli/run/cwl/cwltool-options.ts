import { option, type OptionDeclaration } from "#cli/command";

/** Accepted options of cwltool without an effect, with the reason. */
const ACCEPTED: readonly (readonly [flags: string, why: string])[] = [
  ["--parallel", "jobs always run at the same time"],
  ["--relax-path-checks", "all names of files are allowed"],
  ["--enable-ext", "known extensions are always on, and others are refused by name"],
  ["--enable-dev", "versions that are not published are refused by name"],
  ["--strict", "documents are always checked strictly"],
  ["--non-strict", "documents are always checked strictly"],
  ["--skip-schemas", "an ontology that cannot be read is only a warning"],
  ["--eval-timeout <seconds>", "expressions have a limit of their own"],
  ["--enable-pull", "with --podman, a missing image is fetched unless --disable-pull is given"],
  ["--disable-color", "no colours are printed"],
  ["--enable-color", "no colours are printed"],
  ["--no-doc-cache", "documents are never cached"],
  ["--copy-outputs", "outputs are moved, and the inputs stay as they are"],
  ["--move-outputs", "outputs are moved (default)"],
  ["--no-match-user", "the user of jobs in containers owns the outputs"],
  ["--leave-outputs", "outputs are always put into --outdir"],
  ["--js-console", "expressions have no console"],
  ["--tmp-outdir-prefix <prefix>", "jobs run in the folder of --tmpdir-prefix"],
  ["--no-read-only", "jobs in containers may write into the container, which is removed"],
  ["--custom-net <name>", "a job has the network of this machine, or none if the document asks for none"],
];

/** Returns the accepted options as options of the command, each with its reason. */
export const CWLTOOL_OPTIONS: readonly OptionDeclaration[] = ACCEPTED.map(([flags, why]) =>
  option(flags, `accepted from cwltool: ${why}`),
);
