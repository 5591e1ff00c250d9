import type { OpenBackend, ControlledPlace } from "#backends/backend-fixture";
import { outsideStates } from "#backends/outside-suite";
import { backendStates } from "#backends/state-suite";
import { Cluster } from "./cluster.ts";
import { Life } from "./life.ts";
import { Timeline } from "./timeline.ts";
import type { Fault } from "./weather.ts";

/** The cluster of a simulated world must behave like a real backend. Here the test decides what happens in it. */
const openCluster =
  (isHostBound: boolean): OpenBackend =>
  async () => {
    const begun: string[] = [];
    const coming: Fault[] = [];
    let reason = "";
    const happens = (fault: Fault) => {
      const at = coming.indexOf(fault);
      if (at !== -1) coming.splice(at, 1);
      return at !== -1;
    };
    const cluster = new Cluster({
      timeline: promptTimeline(),
      weather: { happens, callMaxMs: 0, jobMaxMs: 1 },
      dice: {
        between: (_least, most) => most,
        magnitude: (_least, most) => most,
        pick: () => reason as never,
      },
      isHostBound,
      onBegin: ({ request }) => void begun.push(request.id),
      onCancel: () => undefined,
      onEnd: () => undefined,
      onForget: () => undefined,
      say: () => undefined,
      count: () => undefined,
    });
    const place: ControlledPlace = {
      finish: (id, exitCode) => cluster.finish(id, exitCode),
      queueNext(why) {
        reason = why;
        coming.push("job is queued");
      },
      requeue: (id, why) => cluster.requeue(id, why),
      begin: (id) => cluster.begin(id),
      leave: (sentence) => cluster.leave(sentence),
      comeBack() {
        coming.length = 0;
        cluster.comeBack();
      },
      loseNextAnswer: () =>
        void coming.push("submission is applied and fails", "cancellation is applied and fails"),
      begins: (id) => begun.filter((one) => one === id).length,
    };
    const open = () =>
      cluster.seenBy(
        new Life(
          "server",
          new Timeline(),
          () => undefined,
          () => 0,
        ),
        "host",
      );
    return { backend: closable(open()), reopen: async () => closable(open()), place };
  };

/** A timeline of immediate effects only: no job ends on its own. */
function promptTimeline() {
  let nowMs = 1;
  return {
    get nowMs() {
      return (nowMs += 1);
    },
    after(ms: number, callback: () => void) {
      if (ms === 0) setImmediate(callback);
      return () => undefined;
    },
    sleep: async () => undefined,
  };
}

type Backend = Awaited<ReturnType<OpenBackend>>["backend"];

/** A server of a simulated world is closed by its end; here by `close`. */
function closable(backend: Backend): Backend {
  const unwatch: (() => void)[] = [];
  return Object.create(backend, {
    watch: {
      value(listener: Parameters<Backend["watch"]>[0]) {
        const stop = backend.watch(listener);
        unwatch.push(stop);
        return stop;
      },
    },
    close: { value: async () => unwatch.splice(0).forEach((stop) => stop()) },
  }) as Backend;
}

backendStates("The simulated cluster of a host", openCluster(true));
backendStates("The simulated cluster", openCluster(false));
outsideStates("The simulated cluster", openCluster(false));
