import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { createSeal, SEAL_KEY_BYTES } from "#plumbing/secrets/seal";
import { openDataSource } from "#sources/data/open-data";
import { insertSecret } from "#store/users/secrets";
import { openContentStore } from "#workspace/contents/content-store";
import type { DataServer } from "./fakes/data-server.ts";
import type { RunFixture, ServerChange } from "./run-fixture.ts";

/** The seal of the fixture. */
const SEAL = createSeal(Buffer.alloc(SEAL_KEY_BYTES, 1), systemRandom);

/** Returns the parts of a server that read from a stand-in and publish there, with a content store in a folder. */
export function dataParts(
  data: Pick<DataServer, "host" | "address">,
  folder: string,
  {
    privateHosts = [data.host, data.host.replace("127.0.0.1", "localhost")],
  }: { readonly privateHosts?: string[] } = {},
): Required<Pick<ServerChange, "inputs" | "outputStore">> {
  const source = openDataSource({
    httpHosts: [data.host, data.host.replace("127.0.0.1", "localhost")],
    privateHosts,
    s3Endpoint: data.address,
    s3Region: "us-east-1",
    clock: systemClock,
  });
  const contents = openContentStore({
    folder,
    serverId: "test",
    maxBytes: 2 ** 30,
    fsync: false,
    clock: systemClock,
    random: systemRandom,
  });
  return { inputs: { source, contents }, outputStore: source };
}

/** Gives the first user a secret. */
export async function addSecret({ db }: RunFixture, name: string, value: string): Promise<void> {
  const { id: userId } = await db.selectFrom("users").select("id").executeTakeFirstOrThrow();
  const sealed = SEAL.seal(Buffer.from(value).toString("base64"));
  const secret = { id: systemRandom.uuid(), userId, name, type: "env" as const, sealed, createdAtMs: 0 };
  await insertSecret(db, secret);
}
