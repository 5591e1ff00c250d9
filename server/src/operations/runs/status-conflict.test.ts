import { describe, expect, test } from "vitest";
import { whyNot, statusConflict } from "#operations/runs/status-conflict";
import { RUN_STATUSES, statusesBefore } from "#workflow/run/run-status";

describe("refused changes of status", () => {
  test("start: everything that the status machine does not let become queued", () => {
    const allowed = RUN_STATUSES.filter((status) => whyNot("started", status) === undefined);
    expect(allowed).toEqual(statusesBefore("queued", "user"));
  });

  test("restart: everything that is not over", () => {
    const allowed = RUN_STATUSES.filter((status) => whyNot("restarted", status) === undefined);
    expect(allowed).toEqual(["finished", "failed", "stopped"]);
  });

  test("delete: every status that may not become deleted, except deleted itself", () => {
    const allowed = RUN_STATUSES.filter((status) => whyNot("deleted", status) === undefined);
    expect(new Set(allowed)).toEqual(new Set([...statusesBefore("deleted", "user"), "deleted"]));
  });

  test("stop: every status that may not become stopped, except stopped itself", () => {
    const allowed = RUN_STATUSES.filter((status) => whyNot("stopped", status) === undefined);
    const stoppable = [...statusesBefore("stopped", "user"), ...statusesBefore("stopped", "runner")];
    expect(new Set(allowed)).toEqual(new Set([...stoppable, "stopped"]));
  });

  test("REANA's sentence", () => {
    expect(statusConflict("started", "w.1", "running")).toMatchObject({
      kind: "conflict",
      message: "Workflow w.1 could not be started because it is already running.",
    });
  });
});
