import { afterEach, beforeEach } from "vitest";
import type { Clock } from "#plumbing/clock";
import { type FakeBackend, fakeBackend } from "../fakes/fake-backend.ts";
import { type RunFixture, runFixture } from "../run-fixture.ts";

export interface RunsOnFakeBackend {
  readonly backend: FakeBackend;
  readonly fixture: RunFixture;
}

interface Options {
  readonly isHostBound?: boolean;
  readonly clock?: () => Clock;
}

/** Opens servers over a fake backend for each test of the calling group, and closes them afterwards. */
export function runsOnFakeBackend(
  take: (opened: RunsOnFakeBackend) => void,
  { isHostBound, clock }: Options = {},
): void {
  let fixture: RunFixture;
  beforeEach(async () => {
    const backend = fakeBackend({ ...(isHostBound !== undefined && { isHostBound }) });
    fixture = await runFixture(backend, { ...(clock && { clock: clock() }) });
    take({ backend, fixture });
  });
  afterEach(() => fixture.close());
}
