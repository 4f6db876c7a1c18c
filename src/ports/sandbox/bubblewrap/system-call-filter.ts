/** fchmodat2, setxattrat, removexattrat, file_setattr: newer calls have the same number everywhere. */
const NEW_ATTRIBUTE_CALLS = [452, 463, 466, 469]

interface MachineCalls {
  readonly audit: number
  readonly socket: number
  readonly pair: number
  /** Calls that change the mode, owner, times or attributes of a file. */
  readonly attributes: readonly number[]
}

/** The numbers of each architecture. */
const MACHINES: Readonly<Record<string, MachineCalls>> = {
  x64: {
    ...{ audit: 0xc000003e, socket: 41, pair: 53 },
    attributes: [
      ...[90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280],
      ...NEW_ATTRIBUTE_CALLS,
    ],
  },
  arm64: {
    ...{ audit: 0xc00000b7, socket: 198, pair: 199 },
    attributes: [5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88, ...NEW_ATTRIBUTE_CALLS],
  },
}

const IO_URING_SETUP = 425
/** x32 system calls have this bit set, so their numbers would not equal any of those that are compared. */
const X32_BIT = 0x40000000

const ALLOW = 0x7fff0000
const refuse = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const [LOAD, AND, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x06]
const [AT_NUMBER, AT_ARCHITECTURE, AT_FIRST, AT_SECOND] = [0, 4, 16, 24]

const [UNIX, INTERNET, INTERNET_6, NETLINK] = [1, 2, 10, 16]
const [STREAM, SEQPACKET] = [1, 5]

interface Step {
  readonly code: number
  readonly value: number
  /** The label to jump to if the comparison is true; otherwise the next step runs. */
  readonly goTo?: string
  readonly label?: string
}

export interface FilterOptions {
  readonly allowsUnixSockets: boolean
  /**
   * Refuses to change the mode, owner and times of files. The devices in the sandbox are those of the machine, on a mount
   * that cannot be read-only, so root could change them: `chmod 0 /dev/null`.
   */
  readonly keepsAttributes?: boolean
}

/**
 * A seccomp program that permits only sockets that the network namespace confines, unless Unix sockets are allowed. The
 * Unix socket of another program can be opened even through a read-only mount, and a container daemon, a terminal
 * multiplexer or a message bus would then run any command outside the sandbox. Undefined for unknown architectures.
 */
export function createSystemCallFilter(
  machine: string,
  { allowsUnixSockets, keepsAttributes = false }: FilterOptions,
): Uint8Array | undefined {
  const numbers = MACHINES[machine]
  if (numbers === undefined) return undefined
  const families = [INTERNET, INTERNET_6, NETLINK, ...(allowsUnixSockets ? [UNIX] : [])]
  return assemble([
    { code: LOAD, value: AT_ARCHITECTURE },
    { code: JUMP_IF_EQUAL, value: numbers.audit, goTo: 'native' },
    { code: RETURN, value: refuse(EPERM) },
    { code: LOAD, value: AT_NUMBER, label: 'native' },
    ...(machine === 'x64' ? [{ code: JUMP_IF_AT_LEAST, value: X32_BIT, goTo: 'unknown' }] : []),
    // io_uring opens and connects sockets without the calls below.
    { code: JUMP_IF_EQUAL, value: IO_URING_SETUP, goTo: 'unknown' },
    ...(keepsAttributes ? numbers.attributes.map((value) => ({ code: JUMP_IF_EQUAL, value, goTo: 'attribute' })) : []),
    { code: JUMP_IF_EQUAL, value: numbers.socket, goTo: 'socket' },
    { code: JUMP_IF_EQUAL, value: numbers.pair, goTo: 'pair' },
    { code: RETURN, value: ALLOW },
    ...(keepsAttributes ? [{ code: RETURN, value: refuse(EPERM), label: 'attribute' }] : []),
    { code: RETURN, value: refuse(ENOSYS), label: 'unknown' },
    { code: LOAD, value: AT_FIRST, label: 'socket' },
    ...families.map((value) => ({ code: JUMP_IF_EQUAL, value, goTo: 'allowed' })),
    { code: RETURN, value: refuse(EAFNOSUPPORT) },
    // A connected stream pair is only a pipe; a datagram pair could be connected again, to any socket.
    { code: LOAD, value: AT_SECOND, label: 'pair' },
    { code: AND, value: 0xf },
    ...[STREAM, SEQPACKET].map((value) => ({ code: JUMP_IF_EQUAL, value, goTo: 'allowed' })),
    { code: RETURN, value: allowsUnixSockets ? ALLOW : refuse(EAFNOSUPPORT) },
    { code: RETURN, value: ALLOW, label: 'allowed' },
  ])
}

/** Each instruction has 8 bytes: code, two jump distances, value. Jumps only go forward. */
function assemble(steps: readonly Step[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(steps.length * 8))
  for (const [index, { code, value, goTo }] of steps.entries()) {
    const target = goTo === undefined ? index + 1 : steps.findIndex(({ label }) => label === goTo)
    view.setUint16(index * 8, code, true)
    view.setUint8(index * 8 + 2, target - index - 1)
    view.setUint32(index * 8 + 4, value, true)
  }
  return new Uint8Array(view.buffer)
}
