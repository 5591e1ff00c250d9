import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { putLimit } from "#store/users/quotas";
import { apiFixture } from "../../support/api-fixture.ts";
import { changeStatus, createRun, T } from "../../support/run-rows.ts";
import { duOf, workspaceClient } from "../../support/workspace-client.ts";

/** The disk space of a quota after any changes equals a recount by `du`, and never exceeds its limit by an upload. */
const api = await apiFixture();
afterAll(() => api.close());
const LIMIT = 300_000;
const name = fc.constantFrom("a", "b", "in/a", "in/deep/b", "c");
const change = fc.oneof(
  fc.record({ do: fc.constant("put" as const), name, bytes: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ do: fc.constant("delete" as const), name }),
  fc.record({ do: fc.constant("move" as const), name, to: name }),
  fc.record({ do: fc.constant("prune" as const) }),
);

test("uploads, moves, deletions and prunes", async () => {
  const user = await api.makeUser();
  await putLimit(api.operations.db, user.id, "disk", LIMIT);
  const workspace = workspaceClient(api, user);
  const used = async () => (await api.inject(`/api/you?${T(user)}`)).json().quota.disk.usage.raw as number;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 10 }), async (changes) => {
      const run = await createRun(api, user, "fit");
      await workspace.put(run, "first", "x");
      const folder = await workspace.folderOf(run);
      let before = duOf(folder);
      for (const one of changes) {
        const url = (rest: string) => `/api/workflows/${rest}&${T(user)}`;
        if (one.do === "put") {
          const { statusCode } = await workspace.put(run, one.name, "x".repeat(one.bytes));
          // A refusal is right only if the file does not fit, or if a folder has its name.
          if (statusCode === 403) expect(before + one.bytes).toBeGreaterThan(LIMIT);
        } else if (one.do === "delete") {
          await api.inject({ method: "DELETE", url: workspace.at(run, `/${one.name}`) });
        } else if (one.do === "move") {
          const to = `move_files/${run.id}?source=${one.name}&target=${one.to}`;
          await api.inject({ method: "PUT", url: url(to) });
        } else {
          await api.inject({ method: "POST", url: url(`${run.id}/prune?include_inputs=false`) });
        }
        before = duOf(folder);
        expect(await used()).toBe(before);
      }
      expect((await changeStatus(api, user, run.id, "deleted")).statusCode).toBe(200);
      expect(await used()).toBe(0);
    }),
    { numRuns: 6 },
  );
});
