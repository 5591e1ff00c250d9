/** A person or an organisation that made a result. */
export interface Creator {
  /** `Family, Given`. A name without a comma is an organisation. */
  readonly name: string;
  /** Such as `0000-0002-1825-0097`. */
  readonly orcid?: string | undefined;
  readonly affiliation?: string | undefined;
}

/** Description of a run in its deposit. Fixed when a user asks for the publication. */
export interface DepositDescription {
  readonly title: string;
  readonly creators: readonly Creator[];
  /** Plain text; paragraphs are separated by an empty line. */
  readonly description: string;
  /** Full name of the run: `fit.3`. */
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** Address of the licence. */
  readonly license: string | undefined;
  readonly keywords: readonly string[];
  /** Identifies the run, so that a draft is found again: `urn:uuid:…`. */
  readonly identifier: string;
}

/** The server, description and secret of a publication. */
export interface PublicationRequest {
  /** Address of the server with the deposit, without a slash at its end. */
  readonly root: string;
  /** Name of the owner's secret with the token for that server. */
  readonly secret: string;
  readonly description: DepositDescription;
  /** Address of this server, for the crate. */
  readonly server: string;
  /** Version of Reprise, for the crate. */
  readonly program: string;
}

/** Steps that are known to be done. */
export interface PublicationProgress {
  /** When the creation of a draft was last requested. The reply may be lost. */
  readonly askedAtMs?: number;
  /** Id of the deposit on its server. */
  readonly id?: string;
  readonly doi?: string | undefined;
  /** The crate, which is complete in a file of this server. */
  readonly crate?: DepositFile;
  readonly isUploaded?: true;
  readonly isPublished?: true;
}

export interface DepositFile {
  readonly name: string;
  readonly bytes: number;
  /** MD5 in hexadecimal digits, because InvenioRDM states no other checksum. */
  readonly md5: string;
}

export const PUBLICATION_STATES = ["none", "sending", "draft", "published", "failed"] as const;
export type PublicationState = (typeof PUBLICATION_STATES)[number];

/** Returns the address of a DOI. */
export function doiAddress(doi: string): string {
  return `https://doi.org/${doi}`;
}

/** Returns a citation in one line. Without a DOI, the identifier of the run takes its place. */
export function citationOf(
  { creators, day, title, version, identifier }: DepositDescription,
  { publisher, doi }: { readonly publisher: string; readonly doi: string | undefined },
): string {
  const names = creators.map(({ name }) => shortName(name)).join("; ");
  const place = doi === undefined ? identifier : doiAddress(doi);
  return `${names} (${day.slice(0, 4)}). ${title} (${version}) [Data set]. ${publisher}. ${place}`;
}

/** Returns `Lovelace, A.` for `Lovelace, Ada`. */
function shortName(name: string): string {
  const [family = "", given = ""] = name.split(",").map((part) => part.trim());
  const initials = given.split(/[\s-]+/).flatMap((part) => (part === "" ? [] : `${[...part][0]}.`));
  return initials.length === 0 ? family : `${family}, ${initials.join(" ")}`;
}
