import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { jobOf, watchEnds } from "#backends/backend-fixture";
import { ForkingPlace } from "#backends/record/forking-place-fixture";
import { openRecordBackend } from "#backends/record/record-backend";
import { recordOptions } from "#backends/record/record-fixture";
import { HAS_CACHES, twoCaches } from "#backends/record/two-caches-fixture";
import { systemRandom } from "#plumbing/ids";

const JOBS = 10;

describe.runIf(HAS_CACHES)("on a disk of which each machine has a cache", () => {
  test("a job that two nodes start at once runs once, and has one end", async () => {
    const disk = twoCaches(2);
    const place = new ForkingPlace();
    place.startsTwice = true;
    // Every second process is on the other node.
    const [one, other] = [disk.mount(5), disk.mount(5)].map((mount) => disk.wrap(mount).join("' '"));
    const choose = `if mkdir "$2.first" 2> /dev/null; then set -- '${one}' "$@"; else set -- '${other}' "$@"; fi; exec "$@"`;
    place.wrap = ["sh", "-c", choose, "node"];
    const backend = openRecordBackend(recordOptions(disk.folder, place));
    onTestFinished(() => backend.close());
    const workspaceFolder = path.join(disk.folder, "workspace");
    mkdirSync(workspaceFolder);
    const ends = watchEnds(backend);
    const ids = Array.from({ length: JOBS }, () => systemRandom.uuid());
    await Promise.all(
      ids.map((id) =>
        backend.submit({
          id,
          job: jobOf(`echo ran >> ${id}`),
          workspaceFolder,
          hostToken: backend.hostToken,
        }),
      ),
    );
    for (const id of ids) {
      expect(await ends.of(id)).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(ends.told(id).filter(({ status }) => status === "ended")).toHaveLength(1);
      expect(readFileSync(path.join(disk.real, "workspace", id), "utf8")).toBe("ran\n");
    }
  });
});
