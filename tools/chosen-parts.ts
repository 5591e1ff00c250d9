import { changedPaths, chosenFrom } from "./chosen-files.ts";

/** Paths that the parts of the conformance tests watch. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  package: [
    "tools",
    "package.json",
    "package-lock.json",
    "Dockerfile",
    "ui",
    "server/src/notebooks",
    "conformance/package",
  ],
  "generated-client": ["server/src/api", "fixtures/openapi.json", "conformance/generated-client"],
  fuzz: ["server/src/api", "server/src/operations", "conformance/fuzz"],
  "reana-client": [
    "server/src/api",
    "server/src/operations",
    "server/src/workflow",
    "server/src/workspace",
    "server/src/engines/serial",
    "server/src/runner",
    "examples",
    "conformance/reana-client",
  ],
  cwl: [
    "server/src/engines/cwl",
    "server/src/engines/steps",
    "server/src/runner/jobs",
    "server/src/backends/local",
    "conformance/cwl",
  ],
  yadage: ["server/src/engines/yadage", "server/src/engines/steps", "conformance/yadage"],
};

/** Chooses parts of the conformance tests as `chosenFiles` chooses slow tests. */
export function chosenParts(changed: readonly string[]): readonly string[] {
  const parts = Object.keys(PARTS);
  const { concerned, others } = chosenFrom(parts, changed, (part) => PARTS[part]!);
  return parts.filter((part) => concerned.includes(part) || others.includes(part));
}

if (import.meta.main) console.log(chosenParts(changedPaths()).join("\n"));
