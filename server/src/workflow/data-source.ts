import type { RemoteInput } from "#workflow/specification/remote-inputs";

/** An address with endpoint, region and credentials. */
export type DataPlace = Pick<RemoteInput, "address" | "credentials" | "endpoint" | "region">;

/** Reads data from addresses: `https://…` and `s3://…`. The room `sources` implements it. */
export interface DataSource {
  /**
   * Asks an address. Throws a `PassingFault` if another attempt may succeed, and a `Refusal` with the words of the
   * other side if not. No message holds credentials or the query of an address.
   */
  ask(question: DataQuestion): Promise<DataAnswer>;
  /** Returns one page of the objects of a bucket. Throws as `ask` does. */
  list(question: ListQuestion): Promise<ListedPage>;
}

/** A request for the content at an address, from a position on. A known content is not sent a second time. */
export interface DataQuestion {
  readonly input: DataPlace;
  /** The value of the secret that the input names. */
  readonly secret: Buffer | undefined;
  /** The validator of the content that is known. */
  readonly knownAs?: string | undefined;
  /** Position and validator of a broken download. */
  readonly from?: { readonly bytes: number; readonly validator: string } | undefined;
  readonly signal: AbortSignal;
}

/** The answer of an address. */
export type DataAnswer =
  | { readonly kind: "unchanged" }
  /** The content is not the one to continue. Ask for the whole. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "content";
      /** Position of the first byte. */
      readonly from: number;
      /** Size of the whole content, if it is known. */
      readonly bytes: number | undefined;
      /** Changes with the content. Undefined if the server gives none. */
      readonly validator: string | undefined;
      /** The checksum that the server states. */
      readonly sha256: string | undefined;
      readonly chunks: AsyncIterable<Uint8Array>;
    };

export interface ListQuestion {
  /** The address names the bucket, and is named in messages. */
  readonly place: DataPlace;
  readonly secret: Buffer | undefined;
  readonly prefix: string;
  /** True if keys with a further `/` behind the prefix are left out. */
  readonly isFlat: boolean;
  /** The token of the page before. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** Set if more pages follow. */
  readonly next: string | undefined;
}

/** An object as a listing shows it. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** The entity tag, as `ask` returns it. */
  readonly validator: string | undefined;
}
