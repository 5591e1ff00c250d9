import type { Kind } from "#config/kinds";

/** The places where jobs run, by their names in the settings. */
export const PLACES = ["local", "slurm", "htcondor", "kubernetes"] as const;

export type PlaceWord = (typeof PLACES)[number];

/** Words of `compute_backend` with their places, one per line or with commas between them. Each word has one place. */
export function wordsWithPlaces(): Kind<Readonly<Record<string, PlaceWord>>> {
  return {
    words: `words with their places, such as batch=slurm, each word once; a place is ${PLACES.join(", ")}`,
    placeholder: "word=place",
    isRepeatable: true,
    show: (words) =>
      Object.entries(words)
        .map((pair) => pair.join("="))
        .join(", "),
    parse(text) {
      const found = new Map<string, PlaceWord>();
      for (const entry of text.split(/[\n,]/)) {
        const [, word = "", name] = /^\s*([A-Za-z][\w.-]{0,99})\s*=\s*(\w+)\s*$/.exec(entry) ?? [];
        const place = PLACES.find((one) => one === name);
        if (!place || (found.get(word) ?? place) !== place) return undefined;
        found.set(word, place);
      }
      return Object.fromEntries(found);
    },
  };
}

interface PlaceSettings {
  readonly backends: readonly PlaceWord[] | undefined;
  readonly defaultBackend: PlaceWord | undefined;
  readonly computeBackends: Readonly<Record<string, PlaceWord>> | undefined;
}

/** Finds settings that name a place which the server does not have. */
export function placeProblems({ backends, defaultBackend, computeBackends = {} }: PlaceSettings): string[] {
  if (!backends) return [];
  const isThere = (place: PlaceWord) =>
    // With Kubernetes, the machine of the server runs no steps unless it is named.
    backends.includes(place) || (place === "local" && !backends.includes("kubernetes"));
  const named = Object.entries(computeBackends).map(([word, place]): [string, PlaceWord] => [
    `--compute-backend ${word}=${place}`,
    place,
  ]);
  if (defaultBackend) named.unshift([`--default-backend ${defaultBackend}`, defaultBackend]);
  return named
    .filter(([, place]) => !isThere(place))
    .map(([option, place]) => {
      const all = [...backends, place].join(",");
      return `${option} names a place that the server does not have: add it to the places (--backends ${all}).`;
    });
}
