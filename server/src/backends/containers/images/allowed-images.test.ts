import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openContainers } from "#backends/containers/containers-fixture";

test.each([[["docker.io/reanahub/*"]], [[]], [undefined]])(
  "a backend with containers allows %j",
  async (allowed) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-allowed-"));
    const backend = openContainers({ folder }, folder, "host", { images: { allowed } });
    try {
      expect(backend.capabilities.allowedImages).toEqual(allowed);
    } finally {
      await backend.close();
      rmSync(folder, { recursive: true });
    }
  },
);
