/** fchmodat2, setxattrat, removexattrat and file_setattr. Newer calls have the same number on all architectures. */
const NEW_ATTRIBUTE_CALLS = [452, 463, 466, 469]

interface MachineCalls {
  readonly audit: number
  readonly socket: number
  readonly pair: number
  /** The calls that can create a user namespace; their first argument contains the flags. */
  readonly namespaces: readonly number[]
  /** The calls that change the mode, owner, times or attributes of a file. */
  readonly attributes: readonly number[]
  /**
   * Always refused: add_key, request_key and keyctl, because no namespace isolates the keys of the user, and the kernel starts
   * a program outside the sandbox to request one; and bpf, perf_event_open and userfaultfd, which no command needs.
   */
  readonly refusedCalls: readonly number[]
}

/** The system call numbers of each architecture. */
const CALLS_BY_MACHINE: Readonly<Record<string, MachineCalls>> = {
  x64: {
    ...{ audit: 0xc000003e, socket: 41, pair: 53, namespaces: [56, 272] },
    attributes: [
      ...[90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280],
      ...NEW_ATTRIBUTE_CALLS,
    ],
    refusedCalls: [248, 249, 250, 298, 321, 323],
  },
  arm64: {
    ...{ audit: 0xc00000b7, socket: 198, pair: 199, namespaces: [220, 97] },
    attributes: [5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88, ...NEW_ATTRIBUTE_CALLS],
    refusedCalls: [217, 218, 219, 241, 280, 282],
  },
}

const IO_URING_SETUP = 425
/** Its flags are in memory, which a filter cannot read. Programs fall back to clone. */
const CLONE3 = 435
const NEW_USER_NAMESPACE = 0x10000000
/** x32 system calls have this bit set, so their numbers would match none of the comparisons. */
const X32_BIT = 0x40000000

const RETURN_ALLOW = 0x7fff0000
const refuseWith = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const [LOAD, AND, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_SET, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x45, 0x06]
const [NUMBER_OFFSET, ARCHITECTURE_OFFSET, FIRST_ARGUMENT_OFFSET, SECOND_ARGUMENT_OFFSET] = [0, 4, 16, 24]

const [UNIX_FAMILY, INTERNET_FAMILY, INTERNET_6_FAMILY, NETLINK_FAMILY] = [1, 2, 10, 16]
const [STREAM_SOCKET, SEQPACKET_SOCKET] = [1, 5]

interface Step {
  readonly code: number
  readonly value: number
  /** The label to jump to if the comparison is true. Otherwise the next step follows. */
  readonly jumpTarget?: string
  readonly label?: string
}

export interface FilterOptions {
  readonly allowsUnixSockets: boolean
  /**
   * Whether changes to the mode, owner and times of files are refused. The devices in the sandbox are those of the machine, on
   * a mount that cannot be read-only, so root could change them with a command such as `chmod 0 /dev/null`.
   */
  readonly keepsAttributes?: boolean
}

/**
 * Creates a seccomp program that permits only sockets which the network namespace confines and, if allowed, Unix sockets. The
 * Unix socket of another program can be opened even through a read-only mount, and a container daemon, a terminal multiplexer
 * or a message bus would then run any command outside the sandbox. No further user namespaces can be created, because all
 * capabilities in a namespace of its own let a command reach much more of the kernel. The keys of the user cannot be used.
 * Returns undefined for unknown architectures.
 */
export function createSystemCallFilter(
  machine: string,
  { allowsUnixSockets, keepsAttributes = false }: FilterOptions,
): Uint8Array | undefined {
  const numbers = CALLS_BY_MACHINE[machine]
  if (numbers === undefined) return undefined
  const families = [INTERNET_FAMILY, INTERNET_6_FAMILY, NETLINK_FAMILY, ...(allowsUnixSockets ? [UNIX_FAMILY] : [])]
  return assemble([
    { code: LOAD, value: ARCHITECTURE_OFFSET },
    { code: JUMP_IF_EQUAL, value: numbers.audit, jumpTarget: 'native' },
    { code: RETURN, value: refuseWith(EPERM) },
    { code: LOAD, value: NUMBER_OFFSET, label: 'native' },
    ...(machine === 'x64' ? [{ code: JUMP_IF_AT_LEAST, value: X32_BIT, jumpTarget: 'unknown' }] : []),
    // io_uring can open and connect sockets without the calls below.
    { code: JUMP_IF_EQUAL, value: IO_URING_SETUP, jumpTarget: 'unknown' },
    { code: JUMP_IF_EQUAL, value: CLONE3, jumpTarget: 'unknown' },
    ...numbers.refusedCalls.map((value) => ({ code: JUMP_IF_EQUAL, value, jumpTarget: 'unknown' })),
    ...numbers.namespaces.map((value) => ({ code: JUMP_IF_EQUAL, value, jumpTarget: 'namespace' })),
    ...(keepsAttributes
      ? numbers.attributes.map((value) => ({ code: JUMP_IF_EQUAL, value, jumpTarget: 'refused' }))
      : []),
    { code: JUMP_IF_EQUAL, value: numbers.socket, jumpTarget: 'socket' },
    { code: JUMP_IF_EQUAL, value: numbers.pair, jumpTarget: 'pair' },
    { code: RETURN, value: RETURN_ALLOW },
    { code: LOAD, value: FIRST_ARGUMENT_OFFSET, label: 'namespace' },
    { code: JUMP_IF_SET, value: NEW_USER_NAMESPACE, jumpTarget: 'refused' },
    { code: RETURN, value: RETURN_ALLOW },
    { code: RETURN, value: refuseWith(EPERM), label: 'refused' },
    { code: RETURN, value: refuseWith(ENOSYS), label: 'unknown' },
    { code: LOAD, value: FIRST_ARGUMENT_OFFSET, label: 'socket' },
    ...families.map((value) => ({ code: JUMP_IF_EQUAL, value, jumpTarget: 'allowed' })),
    { code: RETURN, value: refuseWith(EAFNOSUPPORT) },
    // A connected stream pair is only a pipe, but a datagram pair could be connected again to any socket.
    { code: LOAD, value: SECOND_ARGUMENT_OFFSET, label: 'pair' },
    { code: AND, value: 0xf },
    ...[STREAM_SOCKET, SEQPACKET_SOCKET].map((value) => ({ code: JUMP_IF_EQUAL, value, jumpTarget: 'allowed' })),
    { code: RETURN, value: allowsUnixSockets ? RETURN_ALLOW : refuseWith(EAFNOSUPPORT) },
    { code: RETURN, value: RETURN_ALLOW, label: 'allowed' },
  ])
}

/** Encodes each step as 8 bytes: code, two jump distances, value. Jumps can only go forward. */
function assemble(steps: readonly Step[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(steps.length * 8))
  for (const [index, { code, value, jumpTarget }] of steps.entries()) {
    const target = jumpTarget === undefined ? index + 1 : steps.findIndex(({ label }) => label === jumpTarget)
    view.setUint16(index * 8, code, true)
    view.setUint8(index * 8 + 2, target - index - 1)
    view.setUint32(index * 8 + 4, value, true)
  }
  return new Uint8Array(view.buffer)
}
