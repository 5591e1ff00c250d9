import { expect, test } from "vitest";
import { byLabel, expositionText, singleSample } from "#plumbing/metrics/exposition";
import { Histogram } from "#plumbing/metrics/histogram";

test("metrics are printed as Prometheus reads them", () => {
  const metrics = [
    singleSample("a_total", "counter", "All a,\nwith a \\.", 3),
    byLabel("b_bytes", "gauge", 'The "b".', "name", [
      ['x"y\\z\n', 1.5],
      ["none", Number.POSITIVE_INFINITY],
    ]),
    byLabel("c", "gauge", "Left out.", "name", []),
  ];
  expect(expositionText(metrics)).toBe(
    "# HELP a_total All a,\\nwith a \\\\.\n# TYPE a_total counter\na_total 3\n" +
      '# HELP b_bytes The "b".\n# TYPE b_bytes gauge\nb_bytes{name="x\\"y\\\\z\\n"} 1.5\nb_bytes{name="none"} +Inf\n',
  );
});

test("the buckets of a histogram include all lower buckets", () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.add(value);
  const samples = histogram.samples({ route: "/a" });
  expect(samples.map(({ suffix, labels, value }) => [suffix, labels?.["le"], value])).toEqual([
    ["_bucket", "0.1", 2],
    ["_bucket", "1", 3],
    ["_bucket", "+Inf", 4],
    ["_sum", undefined, 7.65],
    ["_count", undefined, 4],
  ]);
});
