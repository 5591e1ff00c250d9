import type { ListedPage, ListQuestion } from "#workflow/data-source";
import type { OutputDestination } from "#workflow/specification/output-destination";

/** Stores objects in buckets of S3 services. Implemented in the room `sources`. The methods throw as the methods of `DataSource` do. */
export interface DataStore {
  list(question: ListQuestion): Promise<ListedPage>;
  /** Returns the checksum noted by an earlier upload. Undefined if the object is absent. */
  maybeSha256(place: StorePlace): Promise<string | undefined>;
  /** Stores an object, completely or not at all. Large content travels in parts. */
  put(place: StorePlace, content: OutgoingContent, tryAgain: TryAgain): Promise<void>;
}

/** A key in the bucket of a destination. */
export interface StorePlace {
  readonly destination: OutputDestination;
  /** The value of the secret that the destination names. */
  readonly secret: Buffer | undefined;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Content that can be read several times, and does not change. */
export interface OutgoingContent {
  readonly bytes: number;
  readonly sha256: string;
  /** Reads the bytes from `start` up to, without, `end`. */
  range(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Does a part of the work, again after faults that may pass. */
export type TryAgain = <Result>(work: () => Promise<Result>) => Promise<Result>;
