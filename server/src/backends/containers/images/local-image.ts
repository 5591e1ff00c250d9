import { existsSync } from "node:fs";
import process from "node:process";
import { maybeJson } from "#plumbing/formats/json";

/** A local image. */
export interface LocalImage {
  /** The runtime's id of exactly this image. */
  readonly id: string;
  /**
   * Digest of the image's manifest, as in the registry; for an image built on this machine, the image's id.
   */
  readonly digest: string;
  readonly architecture: string;
  /** Complete names of the image in the runtime. */
  readonly names: readonly string[];
  /** The same with digests instead of tags, for images of registries. */
  readonly digestNames: readonly string[];
  /** Names that the image has had. Podman takes the last name from an image whose tag moves to another image. */
  readonly formerNames: readonly string[];
  readonly bytes: number;
  /** The ENTRYPOINT of the image, if Apptainer has unpacked it. The other runtimes know it themselves. */
  readonly entrypoint?: readonly string[] | undefined;
}

/** Parses the output of `image inspect` about an image. Returns undefined if the output is not usable. */
export function imageIn(text: string): LocalImage | undefined {
  return imagesIn(text)[0];
}

/** Parses the output of `image inspect` about several images. */
export function imagesIn(text: string): readonly LocalImage[] {
  return [maybeJson(text)].flat().flatMap((said) => maybeImage(said) ?? []);
}

function maybeImage(said: unknown): LocalImage | undefined {
  if (typeof said !== "object" || said === null) return undefined;
  const { Id, Digest, RepoDigests, RepoTags, NamesHistory, Architecture, Size } = said as Readonly<
    Record<string, unknown>
  >;
  if (typeof Id !== "string" || Id === "") return undefined;
  const id = Id.replace(/^sha256:/, "");
  const digestNames = textsIn(RepoDigests);
  const digest = [Digest, digestNames[0]?.replace(/^.*@/, "")];
  const first = digest.find((one) => typeof one === "string" && one.startsWith("sha256:"));
  return {
    id,
    digest: typeof first === "string" ? first : `sha256:${id}`,
    architecture: typeof Architecture === "string" ? Architecture : "",
    names: textsIn(RepoTags),
    digestNames,
    formerNames: textsIn(NamesHistory),
    bytes: typeof Size === "number" ? Size : 0,
  };
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

/** The architecture names of images, with the names of Linux's registered emulators. */
const ARCHITECTURES: Readonly<Record<string, { readonly node: string; readonly emulator: string }>> = {
  amd64: { node: "x64", emulator: "qemu-x86_64" },
  arm64: { node: "arm64", emulator: "qemu-aarch64" },
  "386": { node: "x64", emulator: "qemu-i386" },
  arm: { node: "arm", emulator: "qemu-arm" },
  ppc64le: { node: "ppc64", emulator: "qemu-ppc64le" },
  s390x: { node: "s390x", emulator: "qemu-s390x" },
  riscv64: { node: "riscv64", emulator: "qemu-riscv64" },
};

/** Returns a sentence if no program of the image can run on this machine. */
export function wrongMachine({ architecture }: Pick<LocalImage, "architecture">): string | undefined {
  const known = ARCHITECTURES[architecture];
  if (!known || known.node === process.arch) return undefined;
  if (existsSync(`/proc/sys/fs/binfmt_misc/${known.emulator}`)) return undefined;
  return `it is made for ${architecture}, this machine is ${process.arch}. Name an image for this machine, or install ${known.emulator}.`;
}
