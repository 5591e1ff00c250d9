import type { DroppedFile } from "../../parts/dropped-files.ts";

interface Example {
  readonly name: string;
  readonly files: () => readonly DroppedFile[];
}

const HELLO = `inputs:
  parameters:
    greeting: Hello
    names: Ada,Grace,Emmy
workflow:
  type: serial
  specification:
    steps:
      - name: greet
        commands:
          - mkdir -p results
          - echo "\${names}" | tr , '\\n' | sed "s/^/\${greeting} /" > results/greetings.txt
      - name: count
        commands:
          - wc -l < results/greetings.txt
outputs:
  files:
    - results/greetings.txt
`;

const NUMBERS = `inputs:
  parameters:
    events: 20000
workflow:
  type: serial
  specification:
    steps:
      - name: generate
        commands:
          - awk -v n=\${events} 'BEGIN { srand(1); print "energy"; for (i = 0; i < n; i++) print 91.2 + 2.5 * (rand() + rand() + rand() - 1.5) }' > events.csv
      - name: histogram
        commands:
          - awk 'NR > 1 { bin[int($$1)]++ } END { print "energy,count"; for (b in bin) print b "," bin[b] }' events.csv > histogram.csv
      - name: mean
        commands:
          - awk 'NR > 1 { sum += $$1 } END { printf "mean %.3f GeV\\n", sum / (NR - 1) }' events.csv | tee mean.txt
outputs:
  files:
    - histogram.csv
    - mean.txt
`;

function example(name: string, specification: string): Example {
  return {
    name,
    files: () => [{ path: `${name}/reana.yaml`, file: new File([specification], "reana.yaml") }],
  };
}

/** Analyses to begin with. */
export const EXAMPLES: readonly Example[] = [example("hello", HELLO), example("energy-peak", NUMBERS)];
