import { ImageProblem } from "#backends/containers/image-problem";

/** Returns the size among the attributes of an entry. Refuses attributes that rename the entry. */
export function sizeAmong(attributes: Buffer): number | undefined {
  const values = attributesIn(attributes.toString("latin1"));
  if ([...values.keys()].some((key) => /^(path|linkpath|GNU\.sparse.*)$/.test(key)))
    throw new ImageProblem("an entry has a long or a second name");
  const size = values.get("size");
  if (size === undefined) return undefined;
  if (!/^\d{1,15}$/.test(size)) throw new ImageProblem("the size of an entry is not in plain digits");
  return Number(size);
}

/**
 * Splits attributes such as `19 size=8589934592`. Each begins with its length, because a value may have many
 * lines.
 */
function attributesIn(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (let rest = text; rest !== "";) {
    const length = Number(/^[1-9]\d{0,6}(?= )/.exec(rest)?.[0] ?? Number.NaN);
    const attribute = /^\d+ ([^=\n\0]+)=(.*)\n$/s.exec(rest.slice(0, length));
    if (!attribute || length > rest.length)
      throw new ImageProblem("the attributes of an entry are malformed");
    const [, key, value] = attribute;
    if (values.has(key!)) throw new ImageProblem("an entry has the same attribute twice");
    values.set(key!, value!);
    rest = rest.slice(length);
  }
  return values;
}
