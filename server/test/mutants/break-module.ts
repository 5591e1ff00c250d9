import { registerHooks } from "node:module";

/**
 * Replaces exports of one module by broken exports. Made by `breaking`, which checks their names and types.
 */
export interface Break {
  /** Loads the module. The name is in an `import(…)`, visible to the compiler and to a rename. */
  readonly load: () => Promise<object>;
  /** Returns broken exports, which may call the sound exports. */
  readonly broken: (sound: object) => object;
}

export function breaking<Module extends object>(
  load: () => Promise<Module>,
  broken: (sound: Module) => Partial<Module>,
): Break {
  return { load, broken: (sound) => broken(sound as Module) };
}

/** Returns the object with some of its methods replaced. The other methods stay sound, also on an instance of a class. */
export function instead<Sound extends object>(sound: Sound, changes: Partial<Sound>): Sound {
  return new Proxy(sound, {
    get(target, name) {
      if (Object.hasOwn(changes, name)) return changes[name as keyof Sound];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const SOUND = "?sound";
const EXPORTS = Symbol.for("reprise.broken-exports");

/**
 * Makes every later import of a module return broken exports in addition to the remaining sound exports. Must
 * be called before the first import of the module.
 */
export async function breakModule({ load, broken }: Break): Promise<void> {
  let target: string | undefined;
  const finding = registerHooks({
    resolve(name, context, next) {
      const resolved = next(name, context);
      if (target !== undefined) return resolved;
      target = resolved.url;
      return { ...resolved, url: `${target}${SOUND}` };
    },
  });
  const sound = await load();
  finding.deregister();
  const exports = { ...sound, ...broken(sound) };
  Object.assign(globalThis, { [EXPORTS]: exports });
  registerHooks({
    load(url, context, next) {
      if (url !== target) return next(url, context);
      return { format: "module", source: sourceOf(Object.keys(exports)), shortCircuit: true };
    },
  });
}

function sourceOf(names: readonly string[]): string {
  return `export const { ${names.join(", ")} } = globalThis[Symbol.for(${JSON.stringify(EXPORTS.description)})];`;
}
