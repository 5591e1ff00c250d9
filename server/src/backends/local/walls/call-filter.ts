/**
 * A filter of system calls for the jobs of a sandbox, as a program for the kernel (seccomp, classic BPF). It refuses the
 * calls that reach the keyrings of the server's session, which no namespace hides from a job: a ticket of Kerberos may be
 * in one. All other calls are allowed.
 */
export function callFilter(): Buffer {
  const blocks = MACHINES.map(({ audit, calls, mask }) => block(audit, calls, mask));
  return Buffer.concat([
    instruction(LOAD, 0, 0, OFFSET_OF_ARCH),
    ...blocks,
    instruction(RETURN, 0, 0, ALLOW),
  ]);
}

interface Machine {
  /** AUDIT_ARCH_… of the kernel. */
  readonly audit: number;
  /** The numbers of add_key, request_key and keyctl. */
  readonly calls: readonly number[];
  /** The bits of a call's number that count: x86-64 marks calls of its 32-bit variant. */
  readonly mask: number;
}

const ALL_BITS = 0xffff_ffff;
/** Machines that store the high byte first, such as s390x, would need a program in their own byte order. */
const MACHINES: readonly Machine[] = [
  { audit: 0xc000_003e, calls: [248, 249, 250], mask: 0xbfff_ffff }, // x86-64
  { audit: 0x4000_0003, calls: [286, 287, 288], mask: ALL_BITS }, // i386
  { audit: 0xc000_00b7, calls: [217, 218, 219], mask: ALL_BITS }, // aarch64
  { audit: 0x4000_0028, calls: [309, 310, 311], mask: ALL_BITS }, // arm
  { audit: 0xc000_00f3, calls: [217, 218, 219], mask: ALL_BITS }, // riscv64
  { audit: 0xc000_0102, calls: [217, 218, 219], mask: ALL_BITS }, // loongarch64
  { audit: 0xc000_0015, calls: [269, 270, 271], mask: ALL_BITS }, // ppc64le
];

/** Jumps over the block on another machine. Within it, each call that is refused jumps to its last instruction. */
function block(audit: number, calls: readonly number[], mask: number): Buffer {
  const body = [
    instruction(LOAD, 0, 0, OFFSET_OF_CALL),
    instruction(AND, 0, 0, mask),
    ...calls.map((call, index) => instruction(JUMP_IF_EQUAL, calls.length - index, 0, call)),
    instruction(RETURN, 0, 0, ALLOW),
    instruction(RETURN, 0, 0, REFUSE),
  ];
  return Buffer.concat([instruction(JUMP_IF_EQUAL, 0, body.length, audit), ...body]);
}

const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
const OFFSET_OF_CALL = 0;
const OFFSET_OF_ARCH = 4;
const ALLOW = 0x7fff_0000;
/** The call fails with EPERM. */
const REFUSE = 0x0005_0001;

function instruction(code: number, ifTrue: number, ifFalse: number, operand: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
