import { mkdir, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Folder, HAS_PROC, hold, maybeHoldBelow } from "#plumbing/files/open-folder";
import { describeUnless } from "#plumbing/needs-suite";

describeUnless(HAS_PROC ? undefined : "it needs the /proc of Linux")(
  "a deep folder that is opened by one call",
  () => {
    let top: string;
    let root: Folder;
    beforeEach(async () => {
      top = await mkdtemp(path.join(os.tmpdir(), "reprise-open-folder-"));
      await mkdir(path.join(top, "w", "a", "b", "c"), { recursive: true });
      await mkdir(path.join(top, "outside", "c"), { recursive: true });
      root = await hold(path.join(top, "w"));
    });
    afterEach(async () => {
      await root.close();
      await rm(top, { recursive: true });
    });

    const arrives = async (...components: string[]) => {
      const found = await maybeHoldBelow(root, components);
      await found?.close();
      return found !== undefined;
    };

    test("is the folder at that path", async () => {
      expect(await arrives("a", "b", "c")).toBe(true);
      expect(await arrives("a", "b", "absent")).toBe(false);
    });

    test.each([
      ["to the outside", "../../outside"],
      ["to a folder of the workspace", "b"],
    ])("counts only if no link led to it: %s", async (_, target) => {
      await symlink(target, path.join(top, "w", "a", "link"));
      expect(await arrives("a", "link")).toBe(false);
      expect(await arrives("a", "link", "c")).toBe(false);
    });

    test("is found where the workspace is itself reached through a link, or was moved", async () => {
      await symlink("w", path.join(top, "other"));
      const linked = await hold(path.join(top, "other") + "/");
      expect(linked.itself).toMatch(/^\/proc/);
      await linked.close();
      await rename(path.join(top, "w"), path.join(top, "moved"));
      expect(await arrives("a", "b", "c")).toBe(true);
    });

    test("is not mistaken for a folder with a name outside UTF-8", async () => {
      const bytes = Buffer.concat([Buffer.from(path.join(top, "w", "a") + "/"), Buffer.from([0xff])]);
      await mkdir(Buffer.concat([bytes, Buffer.from("/c")]), { recursive: true });
      await symlink(bytes, path.join(top, "w", "a", "\ufffd"));
      expect(await arrives("a", "\ufffd", "c")).toBe(false);
    });

    test("is closed once, however often it is asked to close", async () => {
      const found = (await maybeHoldBelow(root, ["a", "b"]))!;
      await found.close();
      const next = (await maybeHoldBelow(root, ["a", "b"]))!;
      await found.close();
      expect(next.itself).toBe(found.itself);
      expect(await maybeHoldBelow(next, ["c"])).toBeDefined();
      await next.close();
    });
  },
);
