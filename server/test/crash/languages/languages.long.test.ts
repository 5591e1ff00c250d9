import { LANGUAGES, testLanguage } from "./language-cases.ts";

/** Later passes, when jobs have ended, or when the restart is under way. */
const LATER = ["engine-asked:4", "events-recorded:3", "events-recorded:6", "exit-seen:3", "end-recorded:2"];
/** Servers that recover from a crash are killed as well. */
const AGAIN = [
  ["beginning-recorded:1", "run-replayed:1", "events-recorded:1"],
  ["events-recorded:2", "exit-seen:1", "end-heard:1"],
];

/** Each point in a separate world. The short form walks a few points in one world. */
for (const [story, points] of LANGUAGES) {
  testLanguage(story, [...points.map((point) => [`${point}:1`]), ...LATER.map((one) => [one]), ...AGAIN]);
}
