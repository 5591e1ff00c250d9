import type { Connection } from "#store/database/database";
import { openJobCondition } from "#store/database/status-in";

/** Use of this machine's images by jobs. */
export interface ImageUse {
  /** When the last job that ran in an image ended, by the digest of the image. */
  readonly lastUsedAtMs: ReadonlyMap<string, number>;
  /** Image names of open jobs, as written in the specifications. */
  readonly wanted: readonly string[];
}

/** Reads all jobs, however many: for an administrator's command. */
export async function imageUse(db: Connection): Promise<ImageUse> {
  const used = await db
    .selectFrom("jobs")
    .select(({ fn }) => ["image_digest", fn.max("finished_at").as("last")])
    .where("image_digest", "is not", null)
    .where("finished_at", "is not", null)
    .groupBy("image_digest")
    .execute();
  const open = await db
    .selectFrom("jobs")
    .select("image")
    .distinct()
    .where(openJobCondition)
    .where("image", "is not", null)
    .execute();
  return {
    lastUsedAtMs: new Map(used.map(({ image_digest, last }) => [image_digest!, Number(last)])),
    wanted: open.map(({ image }) => image!),
  };
}
