import { type Condition, CONDITIONS } from "#workflow/run/conditions";

/** Times in seconds at which the clock stands still. The second one is in October 2031. */
export const CLOCKS = { first: 981_173_106, other: 1_949_487_194 };

interface Meaning {
  /** Name in a sentence. */
  readonly name: string;
  /** Text that an output shows if it depends on the second value. Undefined if nothing gives the condition away. */
  readonly trace?: RegExp;
}

export const MEANINGS: Readonly<Record<Condition, Meaning>> = {
  image: { name: "the image, whose tag has moved since the run" },
  undeclared: { name: "a file that is not declared as an input and was changed since the run" },
  clock: { name: "the clock", trace: /2031|194948719/ },
  "hash-seed": { name: "the seed of hashes in Python and Perl (PYTHONHASHSEED)" },
  random: { name: "random numbers of Python without a seed" },
  path: { name: "the path of the workspace", trace: /reprise-[0-9a-f]{8}-bb/ },
  zone: { name: "the time zone", trace: /XYZ|\+05:?45/ },
  host: { name: "the name of the host (HOSTNAME)", trace: /reprise-host-b/ },
  user: { name: "the name of the user (USER, LOGNAME)", trace: /reprise-user-b/ },
  home: { name: "the home of the user (HOME)", trace: /reprise-home-b/ },
  locale: { name: "the locale" },
  order: { name: "the order of entries in a folder" },
  threads: { name: "the number of processors and threads" },
  addresses: { name: "the places of memory (ASLR)", trace: /\b0x[5-7][0-9a-f]{9,11}\b|\b1(39|40)\d{12}\b/ },
  umask: { name: "the umask" },
  variables: { name: "an environment variable that the step reads" },
  processor: { name: "the features of the processor (vector instructions)" },
  network: { name: "what the step reads from the network" },
};

/** Returns the conditions whose second value an output shows. */
export function tracesIn(text: string): Condition[] {
  return CONDITIONS.filter((condition) => MEANINGS[condition].trace?.test(text));
}

/** Words of a command or a file name, and the conditions that they make likely. */
const HINTS: readonly (readonly [words: RegExp, conditions: readonly Condition[]])[] = [
  [/\$\{?PWD\b|\b(pwd|realpath|readlink)\b/, ["path"]],
  [/\$\{?[A-Z][A-Z0-9_]+\b|\benviron\b|\bgetenv\b/, ["variables"]],
  [/\b(date|zipfile|tarfile|zip|tar)\b|\.(gz|zip|npz|png|pdf|tgz|tar|xlsx)\b/, ["clock"]],
  [/\b(sort|ls|join|comm)\b/, ["locale", "order"]],
  [/\b(nproc|xargs|parallel|make)\b|_THREADS/, ["threads"]],
  [/\b(numpy|scipy|math|blas|lapack|octave|julia)\b|\bRscript\b/, ["processor"]],
  [/\bperl\b/, ["hash-seed"]],
  [/python|\.py\b/, ["random", "hash-seed"]],
];

/** Returns all conditions, the most likely for a command and its files first. */
export function likelyFor(command: string, files: readonly string[]): Condition[] {
  const text = [command, ...files].join(" ");
  const hinted = HINTS.flatMap(([words, conditions]) => (words.test(text) ? conditions : []));
  // The image and the undeclared files are candidates only if they differed between the runs.
  return [...new Set<Condition>(["image", "undeclared", ...hinted, ...CONDITIONS])];
}
