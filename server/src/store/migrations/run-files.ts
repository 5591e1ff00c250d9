import type { Kysely } from "kysely";
import type { ColumnDifferences } from "#store/migrations/columns";
import { notNull, of } from "#store/migrations/columns";

/**
 * Creates the index of origins. Lookups by content begin with the owner, or with a run that is shared, so that their time
 * does not depend on the files of others.
 */
export async function createRunFiles(db: Kysely<unknown>, { rowNumber }: ColumnDifferences) {
  await db.schema
    .createTable("run_files")
    .addColumn("run_seq", rowNumber, of("runs.seq"))
    .addColumn("position", "integer", notNull)
    .addColumn("owner_id", "text", notNull)
    .addColumn("path", "text", notNull)
    .addColumn("name", "text", notNull)
    .addColumn("bytes", "bigint")
    .addColumn("sha256", "text")
    .addColumn("stamp", "text")
    .addColumn("role", "text", notNull)
    .addColumn("job_id", "text")
    .addColumn("doubt", "text")
    .addColumn("inside", "text")
    .addColumn("sketch", "text")
    .addPrimaryKeyConstraint("run_files_key", ["run_seq", "position"])
    .execute();
  const index = (name: string) => db.schema.createIndex(name).on("run_files");
  await index("run_files_of_owner").columns(["owner_id", "sha256", "run_seq"]).execute();
  await index("run_files_in_run").columns(["run_seq", "sha256"]).execute();
  await index("run_files_of_job").columns(["run_seq", "job_id"]).execute();
  await index("run_files_named_of_owner").columns(["owner_id", "name", "run_seq"]).execute();
  await index("run_files_named_in_run").columns(["run_seq", "name"]).execute();
  await createRunFileChunks(db, rowNumber);
}

async function createRunFileChunks(db: Kysely<unknown>, rowNumber: ColumnDifferences["rowNumber"]) {
  const columns = ["owner_id", "chunk", "run_seq", "position"] as const;
  await db.schema
    .createTable("run_file_chunks")
    .addColumn("owner_id", "text", notNull)
    .addColumn("chunk", "text", notNull)
    .addColumn("run_seq", rowNumber, of("runs.seq"))
    .addColumn("position", "integer", notNull)
    .addPrimaryKeyConstraint("run_file_chunks_key", [...columns])
    .execute();
  await db.schema
    .createIndex("run_file_chunks_in_run")
    .on("run_file_chunks")
    .columns(["run_seq", "chunk", "position"])
    .execute();
}
