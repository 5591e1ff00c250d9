import type { Metric, Sample } from "#plumbing/metrics/exposition";
import { type ImagePulls, JOB_FEATURES, type NamedCapabilities } from "#workflow/capabilities";

/** Returns the features enforced by each backend, and the numbers of its image pulls. */
export function backendMetrics(backends: readonly NamedCapabilities[]): readonly Metric[] {
  return [
    {
      name: "reprise_backend_enforces",
      help: "1 if the backend enforces this feature of jobs, such as the sandbox; 0 if its jobs run without it.",
      type: "gauge",
      samples: backends.flatMap(({ name: backend, ...capabilities }) => {
        const provided = capabilities.provides();
        return JOB_FEATURES.map((feature) => ({
          labels: { backend, feature },
          value: provided.includes(feature) ? 1 : 0,
        }));
      }),
    },
    {
      name: "reprise_image_pulls_open",
      help: "Images that are being fetched from their registries.",
      type: "gauge",
      samples: ofPulls(backends, ({ underWay }) => [{ value: underWay }]),
    },
    {
      name: "reprise_image_pull_age_seconds",
      help: "Time for which the longest of the open pulls has lasted; 0 if there is none.",
      type: "gauge",
      samples: ofPulls(backends, ({ oldestMs }) => [{ value: oldestMs / 1000 }]),
    },
    {
      name: "reprise_image_pulls_total",
      help: "Pulls that ended since this server started, by outcome.",
      type: "counter",
      samples: ofPulls(backends, ({ succeeded, failed }) => [
        { labels: { outcome: "succeeded" }, value: succeeded },
        { labels: { outcome: "failed" }, value: failed },
      ]),
    },
  ];
}

/** Returns samples of the backends that fetch images. */
function ofPulls(
  backends: readonly NamedCapabilities[],
  samplesOf: (pulls: ImagePulls) => readonly Sample[],
): Sample[] {
  return backends.flatMap(({ name: backend, imagePulls }) => {
    const pulls = imagePulls?.();
    return pulls
      ? samplesOf(pulls).map(({ labels, value }) => ({ labels: { backend, ...labels }, value }))
      : [];
  });
}
