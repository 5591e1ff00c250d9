import { matchesStars } from "#plumbing/text/star-pattern";

/** The name of a container image, split as the Docker and podman clients split it. */
export interface ImageName {
  /** The registry's host, with its port. Default: `docker.io`. */
  readonly registry: string;
  /** `library/python` for `python`. */
  readonly repository: string;
  /** Left out if a digest is given instead. */
  readonly tag?: string;
  /** `sha256:…`. A digest names the same image for ever, even after the tag has moved to another. */
  readonly digest?: string;
  /**
   * True if the name comes without a registry. A local image of that name is also found under `localhost`.
   */
  readonly isShort: boolean;
}

const DEFAULT_REGISTRY = "docker.io";
/** Docker's registry under its old name. Docker treats both names alike. */
const OLD_REGISTRY = "index.docker.io";
const LIBRARY = /^library\//;
const DEFAULT_TAG = "latest";
const NAME_MAX = 255;
const PREFIX = /^docker:\/\//;

/** A name with an optional tag and an optional digest. */
const FORM = /^([^:@]+(?::\d+(?=\/)[^:@]*)?)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;
const HOST = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|[a-z0-9.-]+(?=:))(?::\d{1,5})?$/i;
/** Separators stand between letters and digits, never next to each other. */
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/** Parses the name of an image. Returns undefined if no registry could have an image of that name. */
export function parseImageName(text: string): ImageName | undefined {
  const form = text.length > NAME_MAX + 200 ? null : FORM.exec(text.replace(PREFIX, ""));
  if (!form) return undefined;
  const [, path, tag, digest] = form as unknown as [string, string, string?, string?];
  const { registry, repository, isShort } = splitPath(path);
  const isName = repository.length <= NAME_MAX && repository.split("/").every((part) => COMPONENT.test(part));
  if (!isName) return undefined;
  const chosen = digest === undefined ? { tag: tag ?? DEFAULT_TAG } : { digest };
  return { registry, repository, ...chosen, isShort };
}

function splitPath(path: string): Pick<ImageName, "registry" | "repository" | "isShort"> {
  const slash = path.indexOf("/");
  const first = slash === -1 ? "" : path.slice(0, slash);
  if (HOST.test(first)) {
    const registry = registryOf(first);
    return { registry, repository: inRegistry(registry, path.slice(slash + 1)), isShort: false };
  }
  return { registry: DEFAULT_REGISTRY, repository: inRegistry(DEFAULT_REGISTRY, path), isShort: true };
}

function registryOf(host: string): string {
  const registry = host.toLowerCase();
  return registry === OLD_REGISTRY ? DEFAULT_REGISTRY : registry;
}

/** The folder of Docker's own images is left out of their names. */
function inRegistry(registry: string, path: string): string {
  return registry === DEFAULT_REGISTRY && !path.includes("/") ? `library/${path}` : path;
}

/** Returns the complete name, which every runtime understands alike. */
export function fullImageName({ registry, repository, tag, digest }: ImageName): string {
  return `${registry}/${repository}${digest === undefined ? `:${tag}` : `@${digest}`}`;
}

/** Returns the shortest name of an image: without Docker's registry, and without the folder of its own images. */
export function shortImageName(text: string): string {
  const { registry, repository } = splitPath(text.replace(PREFIX, ""));
  return registry === DEFAULT_REGISTRY ? repository.replace(LIBRARY, "") : `${registry}/${repository}`;
}

/** Returns the complete name without tag and digest. */
export function repositoryOf({ registry, repository }: ImageName): string {
  return `${registry}/${repository}`;
}

/**
 * Returns the names under which a runtime may hold the image, in order of precedence. An image that was built
 * or loaded on this machine comes first: otherwise a user could pull an image of the same name in its place.
 */
export function localNames(image: ImageName): readonly [string, ...string[]] {
  const full = fullImageName(image);
  return image.isShort && image.digest === undefined ? [builtHere(image), full] : [full];
}

/** The registry in podman's names of images that were built on this machine. */
const HERE = "localhost/";

/** Returns the name of an image that is built on this machine, for the given name. */
export function builtHere({ repository, tag }: ImageName): string {
  return `${HERE}${repository.replace(LIBRARY, "")}:${tag}`;
}

export function isBuiltHere(name: string): boolean {
  return name.startsWith(HERE);
}

/**
 * Returns whether one of the patterns allows the image. In a pattern, `*` stands for any text. A pattern without a
 * registry means Docker's, and one without a tag or digest allows all of them: `python` allows
 * `docker.io/library/python:3.12`.
 */
export function isAllowedImage(image: ImageName, patterns: readonly string[]): boolean {
  const name = fullImageName(image);
  const repository = repositoryOf(image);
  return patterns.some((pattern) => {
    const whole = withRegistry(pattern.replace(PREFIX, ""));
    return matchesStars(whole, name) || (!/[:@][^/]*$/.test(whole) && matchesStars(whole, repository));
  });
}

function withRegistry(pattern: string): string {
  const slash = pattern.indexOf("/");
  const first = pattern.slice(0, Math.max(0, slash));
  if (HOST.test(first)) return `${registryOf(first)}${pattern.slice(slash)}`;
  if (pattern.startsWith("*") || /[.:*]/.test(first)) return pattern;
  return `${DEFAULT_REGISTRY}/${inRegistry(DEFAULT_REGISTRY, pattern)}`;
}
