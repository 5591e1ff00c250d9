/** The families of sockets that a job may make: UNIX, INET, INET6 and NETLINK. */
export const SOCKET_FAMILIES = [1, 2, 10, 16] as const;

/**
 * A filter of system calls for the jobs of a sandbox, as a program for the kernel (seccomp, classic BPF). It refuses the
 * calls that reach the keyrings of the server's session, because no namespace hides them from a job: a ticket of Kerberos
 * may be in one. It refuses sockets of unusual families, because VSOCK knows no network namespace and leads to the host of
 * a virtual machine, and `io_uring`, which makes sockets past the filter. All other calls are allowed.
 */
export function callFilter(): Buffer {
  return Buffer.concat([
    instruction(LOAD, 0, 0, OFFSET_OF_ARCH),
    ...MACHINES.map(block),
    instruction(RETURN, 0, 0, ALLOW),
  ]);
}

interface Machine {
  /** AUDIT_ARCH_… of the kernel. */
  readonly audit: number;
  /** The numbers of add_key, request_key and keyctl. */
  readonly calls: readonly number[];
  /** The number of `socket`. */
  readonly socket: number;
  /** The number of `socketcall`, an older way to make sockets, if the machine has the call. */
  readonly socketcall?: number;
  /** The bits of a call's number that count: x86-64 marks calls of its 32-bit variant. */
  readonly mask: number;
}

const ALL_BITS = 0xffff_ffff;
/** Machines that store the high byte first, such as s390x, would need a program in their own byte order. */
const MACHINES: readonly Machine[] = [
  { audit: 0xc000_003e, calls: [248, 249, 250], socket: 41, mask: 0xbfff_ffff }, // x86-64
  { audit: 0x4000_0003, calls: [286, 287, 288], socket: 359, socketcall: 102, mask: ALL_BITS }, // i386
  { audit: 0xc000_00b7, calls: [217, 218, 219], socket: 198, mask: ALL_BITS }, // aarch64
  { audit: 0x4000_0028, calls: [309, 310, 311], socket: 281, mask: ALL_BITS }, // arm
  { audit: 0xc000_00f3, calls: [217, 218, 219], socket: 198, mask: ALL_BITS }, // riscv64
  { audit: 0xc000_0102, calls: [217, 218, 219], socket: 198, mask: ALL_BITS }, // loongarch64
  { audit: 0xc000_0015, calls: [269, 270, 271], socket: 326, socketcall: 102, mask: ALL_BITS }, // ppc64le
];

/** `io_uring_setup` has this number on all machines. */
const IO_URING_SETUP = 425;
/**
 * The first argument of `socketcall` that makes a socket. The socket's family is in memory, where no filter
 * can see it.
 */
const MAKES_SOCKET = 1;

/**
 * Builds the rules of one machine. Calls of other machines jump over the block, and unrelated calls over each
 * part.
 */
function block({ audit, calls, socket, socketcall, mask }: Machine): Buffer {
  const ofSocketcall = [
    instruction(LOAD, 0, 0, OFFSET_OF_FIRST_ARGUMENT),
    ...returnIf([MAKES_SOCKET], NO_FAMILY),
    instruction(RETURN, 0, 0, ALLOW),
  ];
  const ofSocket = [
    instruction(LOAD, 0, 0, OFFSET_OF_FIRST_ARGUMENT),
    ...returnIf(SOCKET_FAMILIES, ALLOW),
    instruction(RETURN, 0, 0, NO_FAMILY),
  ];
  const body = [
    instruction(LOAD, 0, 0, OFFSET_OF_CALL),
    instruction(AND, 0, 0, mask),
    ...returnIf([...calls, IO_URING_SETUP], REFUSE),
    ...(socketcall === undefined ? [] : unless(socketcall, ofSocketcall)),
    ...unless(socket, ofSocket),
    instruction(RETURN, 0, 0, ALLOW),
  ];
  return Buffer.concat(unless(audit, body));
}

/** Returns the verdict if the loaded value is in the list. */
function returnIf(values: readonly number[], verdict: number): Buffer[] {
  return [
    ...values.map((value, index) => instruction(JUMP_IF_EQUAL, values.length - index, 0, value)),
    instruction(JUMP, 0, 0, 1),
    instruction(RETURN, 0, 0, verdict),
  ];
}

/** Skips the instructions unless the loaded value equals `value`. */
function unless(value: number, instructions: readonly Buffer[]): Buffer[] {
  return [instruction(JUMP_IF_EQUAL, 0, instructions.length, value), ...instructions];
}

const LOAD = 0x20;
const AND = 0x54;
const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
const OFFSET_OF_CALL = 0;
const OFFSET_OF_ARCH = 4;
/** The low half of the argument: the kernel ignores the other. */
const OFFSET_OF_FIRST_ARGUMENT = 16;
const ALLOW = 0x7fff_0000;
/** The call fails with EPERM. */
const REFUSE = 0x0005_0001;
/** The call fails with EAFNOSUPPORT. */
const NO_FAMILY = 0x0005_0061;

function instruction(code: number, ifTrue: number, ifFalse: number, operand: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
