import { compose, type Server } from "#app/compose";
import type { Operations } from "#operations/operations";
import { messageOf } from "#plumbing/errors";
import { createSeal, SEAL_KEY_BYTES } from "#plumbing/secrets/seal";
import { errorsOnly } from "../support/errors-only.ts";
import { fakeDisk } from "../support/fakes/fake-disk.ts";
import { randomFrom } from "./dice.ts";
import { Life } from "./life.ts";
import type { World } from "./world.ts";

const notSimulated = () => Promise.reject(new Error("Nothing comes from outside this world."));
const noContent = () => {
  throw new Error("Nothing leaves this world.");
};
const NO_SOURCES = {
  git: { fetch: notSimulated },
  documents: { fetch: notSimulated },
  bundles: { use: notSimulated },
  deposits: {
    crates: { write: notSimulated, has: notSimulated, read: noContent, remove: notSimulated },
    check: notSimulated,
    open: noContent,
  },
  packing: { starter: notSimulated, maybeProgram: notSimulated, images: notSimulated },
};

/** A machine with a clock of its own. At most one server runs on a host. */
export class Host {
  readonly name: string;
  readonly id: string;
  readonly #world: World;
  #lives = 0;
  #life: Life | undefined;
  #server: Server | undefined;
  #skewMs = 0;
  #isGone = false;
  #isReady = false;
  #offUntilMs = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.id = `id of ${name}`;
  }

  /** True if users can reach a server here. */
  get isUp(): boolean {
    return this.#isReady && this.#life !== undefined && !this.#life.isDead;
  }

  /** Operations called by users. */
  get operations(): Operations | undefined {
    return this.#server?.operations;
  }

  get isStarting(): boolean {
    return this.#life !== undefined && !this.#isReady;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  start(): void {
    const world = this.#world;
    if (this.#isGone || this.#life || world.timeline.nowMs < this.#offUntilMs) return;
    this.#lives += 1;
    const life = new Life(
      `${this.name}.${this.#lives}`,
      world.timeline,
      world.perilOf(this),
      () => this.#skewMs,
    );
    this.#life = life;
    this.#isReady = false;
    world.say(life.name, "starts");
    this.#server = this.#compose(life);
    void this.#open(life, this.#server);
  }

  async #open(life: Life, server: Server): Promise<void> {
    try {
      await server.tidyUp();
      await server.start();
      if (this.#life === life) this.#isReady = true;
    } catch (error) {
      this.#world.say(life.name, `could not start: ${messageOf(error)}`);
      this.crash("could not start");
    }
  }

  /** Composes the product around the simulated parts. */
  #compose(life: Life): Server {
    const world = this.#world;
    const site = world.sites.of(this.id);
    const random = randomFrom(world.dice);
    return compose({
      db: world.connectionFor(life, this),
      clock: life.clock,
      random,
      log: errorsOnly((error, message) => world.say(life.name, `${message} ${messageOf(error)}`)),
      disk: fakeDisk(),
      host: { id: this.id, name: this.name },
      engines: world.engines(),
      backends: [site.seenBy(life, this.id)],
      workspaces: world.files.seenBy(life, () => world.hinderFile()),
      uploads: world.files.uploadsOf(life),
      ...NO_SOURCES,
      tokenSeal: createSeal(Buffer.alloc(SEAL_KEY_BYTES, 1), random),
      limits: { ...world.settings.limits, maxLogBytesInReply: 2 ** 20 },
      snapshotEveryEvents: world.settings.snapshotEveryEvents,
    });
  }

  /** Kills the server, at any moment and in the middle of anything. */
  crash(why: string): void {
    const life = this.#life;
    if (!life) return;
    this.#world.say(life.name, `is killed: ${why}`);
    this.#world.noteCrash(this);
    this.#leave(life);
  }

  /** Restarts the machine, or removes it permanently. */
  reboot(isForEver: boolean): void {
    this.#isGone ||= isForEver;
    this.crash(isForEver ? "its machine is gone" : "its machine is restarted");
    this.#world.sites.of(this.id).reboot();
  }

  /** True if the machine never comes back. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ends the server, and starts none for a while. Jobs of the machine continue. */
  turnOff(ms: number): void {
    this.#offUntilMs = this.#world.timeline.nowMs + ms;
    this.crash("its server is gone for a while");
    this.#world.timeline.after(ms, () => this.start());
  }

  async close(stopJobs: boolean): Promise<void> {
    const life = this.#life;
    if (!life || !this.#isReady) return;
    this.#isReady = false;
    this.#world.say(life.name, `closes${stopJobs ? " and stops its jobs" : ""}`);
    try {
      await this.#server!.close({ stopJobs });
      this.#world.say(life.name, "has closed");
    } catch (error) {
      this.#world.say(life.name, `could not close: ${messageOf(error)}`);
    }
    if (this.#life === life) this.#leave(life);
  }

  #leave(life: Life): void {
    this.#life = undefined;
    this.#isReady = false;
    life.end();
    this.#world.noteDown(this);
  }

  pause(ms: number): void {
    if (!this.#life?.isRunning) return;
    this.#world.say(this.#life.name, `is paused for ${ms} ms`);
    this.#life.pause(ms);
  }

  /** Sets the clock forward or back. */
  jump(ms: number): void {
    this.#skewMs += ms;
  }
}
