/** Text format of Prometheus (version 0.0.4) for the server's metrics. */

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Added to the name of the metric: `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
}

export interface Metric {
  /** With the unit last: `reprise_disk_free_bytes`. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Returns the metrics as text. A metric without samples is left out. */
export function expositionText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, help, type, samples }) =>
        `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n` +
        samples.map((sample) => sampleLine(name, sample)).join(""),
    )
    .join("");
}

function sampleLine(name: string, { labels = {}, value, suffix = "" }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text, '"')}"`);
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberText(value)}\n`;
}

function escaped(text: string, quote = ""): string {
  const lines = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return quote === "" ? lines : lines.replaceAll(quote, `\\${quote}`);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** Returns a metric with one sample. */
export function singleSample(name: string, type: "counter" | "gauge", help: string, value: number): Metric {
  return { name, help, type, samples: [{ value }] };
}

/** Returns a metric with a sample for each value of one label. */
export function byLabel(
  name: string,
  type: "counter" | "gauge",
  help: string,
  label: string,
  values: Iterable<readonly [text: string, value: number]>,
): Metric {
  return {
    name,
    help,
    type,
    samples: Array.from(values, ([text, value]) => ({ labels: { [label]: text }, value })),
  };
}
