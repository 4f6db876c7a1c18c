import { expect, test } from 'vitest'
import { createSystemCallFilter } from './system-call-filter.js'

const X64 = { audit: 0xc000003e, socket: 41, pair: 53, clone: 56, unshare: 272 }
const ARM64 = { audit: 0xc00000b7, socket: 198, pair: 199, clone: 220, unshare: 97 }

interface Call {
  readonly arch: number
  readonly number: number
  readonly args?: readonly number[]
}

/** Evaluates a filter program as the kernel does. */
function decide(filter: Uint8Array, { arch, number, args: [first = 0, second = 0] = [] }: Call): number {
  const view = new DataView(filter.buffer)
  const data = new Map([0, 4, 16, 24].map((offset, index) => [offset, [number, arch, first, second][index] ?? 0]))
  let register = 0
  for (let at = 0; ; at++) {
    const value = view.getUint32(at * 8 + 4, true)
    const jump = (isTrue: boolean) => view.getUint8(at * 8 + (isTrue ? 2 : 3))
    switch (view.getUint16(at * 8, true)) {
      case 0x20:
        register = data.get(value) ?? Number.NaN
        break
      case 0x54:
        register &= value
        break
      case 0x15:
        at += jump(register === value)
        break
      case 0x35:
        at += jump(register >= value)
        break
      case 0x45:
        at += jump((register & value) !== 0)
        break
      default:
        return value
    }
  }
}

const RETURN_ALLOW = 0x7fff0000
const NO_FAMILY = 0x50000 + 97

test.each([
  ['x64', X64],
  ['arm64', ARM64],
] as const)(
  'the system call filter on %s refuses to create a user namespace',
  (machine, { audit: arch, clone, unshare }) => {
    const filter = createSystemCallFilter(machine, { allowsUnixSockets: true }) as Uint8Array
    const decideForFlags = (flags: number) =>
      [clone, unshare].map((number) => decide(filter, { arch, number, args: [flags] }))
    const [THREAD, NEW_USER, NEW_MOUNTS] = [0x10000, 0x10000000, 0x20000]

    expect(decideForFlags(THREAD)).toEqual([RETURN_ALLOW, RETURN_ALLOW])
    expect(decideForFlags(NEW_USER)).toEqual([0x50001, 0x50001])
    expect(decideForFlags(NEW_USER | NEW_MOUNTS)).toEqual([0x50001, 0x50001])
    expect(decide(filter, { arch, number: 435 })).toBe(0x50000 + 38)
  },
)

test.each([
  ['x64', X64],
  ['arm64', ARM64],
] as const)(
  'the system call filter on %s allows only network sockets and connected pairs',
  (machine, { audit: arch, ...calls }) => {
    const filter = createSystemCallFilter(machine, { allowsUnixSockets: false }) as Uint8Array
    const socket = (family: number) => decide(filter, { arch, number: calls.socket, args: [family, 1] })
    const pair = (type: number) => decide(filter, { arch, number: calls.pair, args: [1, type] })

    const allowedFamilies = Array.from({ length: 50 }, (_, family) => family).filter(
      (family) => socket(family) === RETURN_ALLOW,
    )
    expect(allowedFamilies).toEqual([2, 10, 16])
    expect(socket(1)).toBe(NO_FAMILY)
    const CLOSE_ON_EXEC = 0o2000000
    expect([1, 5, 1 | CLOSE_ON_EXEC].map(pair)).toEqual([RETURN_ALLOW, RETURN_ALLOW, RETURN_ALLOW])
    expect([2, 3, 2 | CLOSE_ON_EXEC].map(pair)).toEqual([NO_FAMILY, NO_FAMILY, NO_FAMILY])
    expect(decide(filter, { arch, number: 425 })).toBe(0x50000 + 38)
    expect([0, 1, 59, 257].map((number) => decide(filter, { arch, number }))).toEqual([
      RETURN_ALLOW,
      RETURN_ALLOW,
      RETURN_ALLOW,
      RETURN_ALLOW,
    ])
  },
)

test.each([
  ['x64', X64, [248, 249, 250, 298, 321, 323]],
  ['arm64', ARM64, [217, 218, 219, 241, 280, 282]],
] as const)(
  'the system call filter on %s refuses the calls for the keys of the user and for parts of the kernel',
  (machine, { audit: arch }, numbers) => {
    const filter = createSystemCallFilter(machine, { allowsUnixSockets: true }) as Uint8Array
    expect(numbers.map((number) => decide(filter, { arch, number }))).toEqual(numbers.map(() => 0x50000 + 38))
  },
)

test('the system call filter refuses system calls of another ABI', () => {
  const filter = createSystemCallFilter('x64', { allowsUnixSockets: false }) as Uint8Array

  expect(decide(filter, { arch: 0x40000003, number: 102 })).not.toBe(RETURN_ALLOW)
  expect(decide(filter, { arch: X64.audit, number: 0x40000000 + X64.socket, args: [1] })).not.toBe(RETURN_ALLOW)
})

test('the system call filter can allow Unix sockets, but no other kind of local socket', () => {
  const filter = createSystemCallFilter('x64', { allowsUnixSockets: true }) as Uint8Array
  const socket = (family: number) => decide(filter, { arch: X64.audit, number: X64.socket, args: [family] })

  expect([socket(1), socket(40)]).toEqual([RETURN_ALLOW, NO_FAMILY])
})

test('there is no system call filter for an unknown architecture', () => {
  expect(createSystemCallFilter('riscv64', { allowsUnixSockets: false })).toBeUndefined()
})

test.each([
  ['x64', X64, [90, 91, 268, 280, 452]],
  ['arm64', ARM64, [52, 53, 55, 88, 452]],
] as const)(
  'the system call filter on %s refuses to change attributes of files for commands that may only read',
  (machine, { audit: arch }, numbers) => {
    const decideAll = (keepsAttributes: boolean) => {
      const filter = createSystemCallFilter(machine, { allowsUnixSockets: false, keepsAttributes }) as Uint8Array
      return numbers.map((number) => decide(filter, { arch, number }))
    }
    expect(decideAll(true)).toEqual(numbers.map(() => 0x50000 + 1))
    expect(decideAll(false)).toEqual(numbers.map(() => RETURN_ALLOW))
  },
)
