import { expect, test } from "vitest";
import { callFilter } from "#backends/walls/call-filter";

const ALLOWED = 0x7fff_0000;
const REFUSED = 0x0005_0001;

const NO_FAMILY = 0x0005_0061;

/**
 * Runs the program as the kernel does, for a call with the given number and first argument on this machine.
 */
function verdict(audit: number, call: number, argument = 0): number {
  const program = callFilter();
  let held = 0;
  for (let at = 0; ; at += 1) {
    const [code, operand] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)];
    if (code === 0x20) held = operand === 0 ? call : operand === 4 ? audit : argument;
    else if (code === 0x54) held = (held & operand) >>> 0;
    else if (code === 0x05) at += operand;
    else if (code === 0x15) at += program.readUInt8(at * 8 + (held === operand ? 2 : 3));
    else if (code === 0x06) return operand;
    else throw new Error(`unknown instruction ${code}`);
  }
}

test.each<[machine: string, audit: number, calls: readonly number[], others: readonly number[]]>([
  ["x86-64", 0xc000_003e, [248, 249, 250, 0x4000_0000 + 250], [0, 247, 251]],
  ["i386", 0x4000_0003, [286, 287, 288], [285, 289, 250]],
  ["aarch64", 0xc000_00b7, [217, 218, 219], [216, 220, 250]],
  ["arm", 0x4000_0028, [309, 310, 311], [308, 312]],
  ["riscv64", 0xc000_00f3, [217, 218, 219], [216, 220]],
  ["loongarch64", 0xc000_0102, [217, 218, 219], [216, 220]],
  ["ppc64le", 0xc000_0015, [269, 270, 271], [268, 272]],
])("%s: exactly the calls about keyrings are refused", (_machine, audit, calls, others) => {
  expect(calls.map((call) => verdict(audit, call))).toEqual(calls.map(() => REFUSED));
  expect(others.map((call) => verdict(audit, call))).toEqual(others.map(() => ALLOWED));
});

test.each([
  ["x86-64", 0xc000_003e, 41],
  ["x32", 0xc000_003e, 0x4000_0000 + 41],
  ["i386", 0x4000_0003, 359],
  ["aarch64", 0xc000_00b7, 198],
  ["arm", 0x4000_0028, 281],
  ["riscv64", 0xc000_00f3, 198],
  ["loongarch64", 0xc000_0102, 198],
  ["ppc64le", 0xc000_0015, 326],
])("%s: a job makes sockets of four families, and no io_uring", (_machine, audit, socket) => {
  const made = Array.from({ length: 50 }, (_, family) => family).filter(
    (family) => verdict(audit, socket, family) === ALLOWED,
  );
  expect(made).toEqual([1, 2, 10, 16]);
  expect(verdict(audit, socket, 40)).toBe(NO_FAMILY);
  expect(verdict(audit, 425)).toBe(REFUSED);
});

test.each([0x4000_0003, 0xc000_0015])("no socket is made by `socketcall`: %d", (audit) => {
  expect(verdict(audit, 102, 1)).toBe(NO_FAMILY);
  expect(verdict(audit, 102, 3)).toBe(ALLOWED);
});

test("every call of another machine is allowed", () => {
  expect(verdict(0x1234, 250)).toBe(ALLOWED);
});
