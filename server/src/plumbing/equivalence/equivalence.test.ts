import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { maybeEquivalence } from "#plumbing/equivalence/equivalence";

const ruleFor = (name: string, a: Buffer | string, b: Buffer | string) =>
  maybeEquivalence(name, Buffer.from(a as string), Buffer.from(b as string))?.rule;

/** Makes the chunk of a picture. Its check sum is not read. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

interface Drawing {
  readonly width: number;
  readonly rows: readonly Buffer[];
  readonly filter?: number;
  readonly level?: number;
  readonly more?: readonly Buffer[];
}

const RGB_BYTES = 3;

/** Draws a picture of 8 bits for each of three colours, with every row filtered alike. */
function picture({ width, rows, filter = 0, level = 6, more = [] }: Drawing): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const lines = rows.map((row, y) => {
    const at = (line: Buffer | undefined, x: number) => (x < 0 ? 0 : (line?.[x] ?? 0));
    const filtered = row.map((byte, x) => {
      const left = at(row, x - RGB_BYTES);
      const up = at(rows[y - 1], x);
      const corner = at(rows[y - 1], x - RGB_BYTES);
      return byte - [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
    });
    return Buffer.concat([Buffer.from([filter]), filtered]);
  });
  const data = chunk("IDAT", deflateSync(Buffer.concat(lines), { level }));
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", header), ...more, data, chunk("IEND", Buffer.alloc(0))]);
}

function paeth(left: number, up: number, corner: number): number {
  const distances = [left, up, corner].map((near) => Math.abs(left + up - corner - near));
  return [left, up, corner][distances.indexOf(Math.min(...distances))]!;
}

const ROWS = [0, 1, 2, 3, 4].map((y) =>
  Buffer.from(Array.from({ length: 21 }, (_, x) => (x * x * 7 + y * 91) % 256)),
);
const DRAWING = { width: 7, rows: ROWS };

describe("pictures", () => {
  test.each([1, 2, 3, 4])("with the same pixels are equivalent, filtered by way %i", (filter) => {
    expect(ruleFor("a.png", picture(DRAWING), picture({ ...DRAWING, filter, level: 9 }))).toBe("png-pixels");
  });

  test("with another date or text are equivalent", () => {
    const more = [chunk("tEXt", Buffer.from("Software\0x")), chunk("tIME", Buffer.alloc(7))];
    expect(ruleFor("a.PNG", picture(DRAWING), picture({ ...DRAWING, more }))).toBe("png-pixels");
  });

  test("with another pixel, other colours or a missing end are different", () => {
    const rows = ROWS.map((row) => Buffer.from(row));
    rows[4]![20]! ^= 1;
    const gamma = chunk("gAMA", Buffer.from([0, 0, 0, 1]));
    const whole = picture(DRAWING);
    expect(ruleFor("a.png", whole, picture({ ...DRAWING, rows, filter: 4 }))).toBeUndefined();
    expect(ruleFor("a.png", whole, picture({ ...DRAWING, more: [gamma] }))).toBeUndefined();
    expect(ruleFor("a.png", whole, whole.subarray(0, -12))).toBeUndefined();
    expect(ruleFor("a.png", whole, Buffer.concat([whole, Buffer.from("x")]))).toBeUndefined();
  });

  test("of two sizes, or too large for the header, are different", () => {
    const wide = picture({ width: 8, rows: ROWS });
    expect(ruleFor("a.png", picture(DRAWING), wide)).toBeUndefined();
    expect(ruleFor("a.png", wide, wide)).toBeUndefined();
  });
});

describe("gzip files", () => {
  const zipped = gzipSync("content");
  const header = Buffer.from([0x1f, 0x8b, 8, 8, 1, 2, 3, 4, 0, 3, ...Buffer.from("name\0")]);
  const named = Buffer.concat([header, zipped.subarray(10)]);

  test("with another time and name are equivalent", () => {
    expect(ruleFor("a.gz", zipped, named)).toBe("gzip-header");
  });

  test("with another content, or more after it, are different", () => {
    expect(ruleFor("a.gz", zipped, gzipSync("other"))).toBeUndefined();
    expect(ruleFor("a.gz", zipped, Buffer.concat([named, Buffer.from("x")]))).toBeUndefined();
    expect(ruleFor("a.gz", "plain", "other")).toBeUndefined();
    expect(ruleFor("a.gz", header.subarray(0, 12), header.subarray(0, 13))).toBeUndefined();
  });
});

describe("zip files", () => {
  /** Makes an archive of stored entries. */
  function archive(entries: readonly (readonly [name: string, content: string, time?: number])[]): Buffer {
    const [files, directory]: [Buffer[], Buffer[]] = [[], []];
    for (const [name, content, time = 0] of entries) {
      const offset = Buffer.concat(files).length;
      const common = Buffer.alloc(26);
      common.writeUInt16LE(time, 6);
      common.writeUInt32LE(content.length, 14);
      common.writeUInt32LE(content.length, 18);
      common.writeUInt16LE(name.length, 22);
      files.push(Buffer.from("PK\u0003\u0004"), common, Buffer.from(name + content));
      const where = Buffer.alloc(14);
      where.writeUInt32LE(offset, 10);
      directory.push(Buffer.from("PK\u0001\u0002\0\0"), common, where, Buffer.from(name));
    }
    const end = Buffer.alloc(18);
    end.writeUInt16LE(entries.length, 6);
    end.writeUInt32LE(Buffer.concat(directory).length, 8);
    end.writeUInt32LE(Buffer.concat(files).length, 12);
    return Buffer.concat([...files, ...directory, Buffer.from("PK\u0005\u0006"), end]);
  }
  const [one, other] = [["one", "1"] as const, ["two", "22"] as const];

  test("with the same entries in another order are equivalent", () => {
    expect(ruleFor("a.zip", archive([one, other]), archive([other, one]))).toBe("zip-order");
  });

  test("with another content, time or number of entries are different", () => {
    expect(ruleFor("a.zip", archive([one, other]), archive([one, ["two", "23"]]))).toBeUndefined();
    expect(ruleFor("a.zip", archive([one, other]), archive([[...other, 9], one]))).toBeUndefined();
    expect(ruleFor("a.zip", archive([one, other]), archive([one, one]))).toBeUndefined();
    expect(ruleFor("a.zip", "PK", "KP")).toBeUndefined();
  });
});

describe("JSON", () => {
  test.each([
    ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1 }'],
    ['{"é":"\\u00e9"}', '{"\\u00e9":"é"}'],
    ["[0.1, 1e3]", "[0.10000000000000001, 1000.0]"],
  ])("%s equals %s", (a, b) => {
    expect(ruleFor("a.json", a, b)).toBe("json-values");
  });

  test.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":"1"}', '{"a":1}'],
    ["[1,2]", "[2,1]"],
    ["[1,2]", "[1,2,3]"],
    ['{"a":1,"a":2}', '{"a":3,"a":2}'],
    ["[12345678901234567890]", "[12345678901234567891]"],
    ["[1764253045]", "[1764253046]"],
    ["[1764253045.11]", "[1764253045.13]"],
    ["[0.5]", "[0.50000001]"],
    ["[NaN]", "[ NaN]"],
    ["{}", "[]"],
    ["null", "false"],
  ])("%s differs from %s", (a, b) => {
    expect(ruleFor("a.json", a, b)).toBeUndefined();
  });

  test("reports the largest difference, within the tolerance that was given", () => {
    const [a, b] = [Buffer.from("[1.0, 2.0]"), Buffer.from("[1.0, 2.002]")];
    expect(maybeEquivalence("a.json", a, b, 1e-2)?.difference).toBeCloseTo(0.001, 5);
    expect(maybeEquivalence("a.json", a, b, 0)).toBeUndefined();
  });

  test("is different if it is too large, too deep or not UTF-8", () => {
    const large = `["${"x".repeat(3 * 2 ** 20)}"]`;
    expect(ruleFor("a.json", large, ` ${large}`)).toBeUndefined();
    const deep = "[".repeat(200) + "]".repeat(200);
    expect(ruleFor("a.json", deep, ` ${deep}`)).toBeUndefined();
    const [one, other] = [0xff, 0xfe].map((byte) => Buffer.from([0x22, byte, 0x22]));
    expect(ruleFor("a.json", one!, other!)).toBeUndefined();
  });
});

describe("tables", () => {
  test.each([
    ["x,y\n1,0.30000000000000004\n", "x,y\n1,0.3\n"],
    ["a\t1.5e-3\r\n", "a\t0.0015\r\n"],
    ['"a b";"2.50"', '"a b";"2.5"'],
  ])("%j equals %j", (a, b) => {
    expect(ruleFor("a.csv", a, b)).toBe("csv-numbers");
  });

  test.each([
    ["1,2\n", "1,3\n"],
    ["1.0,2\n", "1.0,2\n\n"],
    ["1.0", "1.0,"],
    ["1.0,a", "1.0,b"],
    ["1.0", "-1.0"],
    ["2026-11-27", "2026-11-28"],
    ["1.2.3", "1.2.30"],
    ["0.0", "1e-300"],
  ])("%j differs from %j", (a, b) => {
    expect(ruleFor("a.tsv", a, b)).toBeUndefined();
  });
});

describe("notebooks", () => {
  const notebook = (count: number, text: string) =>
    JSON.stringify({
      cells: [
        { cell_type: "markdown", source: "# x" },
        {
          cell_type: "code",
          execution_count: count,
          outputs: [{ output_type: "execute_result", execution_count: count, data: { "text/plain": text } }],
        },
      ],
    });

  test("are equivalent without their execution counts", () => {
    expect(ruleFor("a.ipynb", notebook(1, "4"), notebook(7, "4"))).toBe("notebook");
  });

  test("with another output are different, and so is a text that is not a notebook", () => {
    expect(ruleFor("a.ipynb", notebook(1, "4"), notebook(1, "5"))).toBeUndefined();
    expect(ruleFor("a.ipynb", "x", "y")).toBeUndefined();
  });
});

test("files without a rule for their name are different", () => {
  expect(ruleFor("a.txt", "1.0", "1.00")).toBeUndefined();
});
