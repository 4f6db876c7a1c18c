import { expect, test } from 'vitest'
import { orderMounts } from '../mounts.js'
import { createBubblewrapArguments } from './bubblewrap-arguments.js'

const view = { cwd: '/code', isRoot: false, deniedFile: '/private/denied', keepsNetwork: false, showsOtherFiles: true }

test('by default, bubblewrap makes everything read-only and isolated, and keeps the working folder', () => {
  expect(createBubblewrapArguments({ ...view, mounts: [] }).join(' ')).toBe(
    '--unshare-all --die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --chdir /code --',
  )
})

test('bubblewrap makes /proc read-only for root, so that kernel settings cannot be written', () => {
  expect(createBubblewrapArguments({ ...view, mounts: [], isRoot: true }).join(' ')).toContain(
    '--proc /proc --remount-ro /proc ',
  )
})

test('the network namespace is shared only with keepsNetwork', () => {
  expect(createBubblewrapArguments({ ...view, mounts: [] })).not.toContain('--share-net')
  expect(createBubblewrapArguments({ ...view, mounts: [], keepsNetwork: true }).slice(0, 2)).toEqual([
    '--unshare-all',
    '--share-net',
  ])
})

test('bubblewrap gets mounts from outer to inner, and emptied folders are made read-only at the end', () => {
  const args = createBubblewrapArguments({
    ...view,
    filterDescriptor: 9,
    mounts: [
      { path: '/home/me/code/.haft', kind: 'absent' },
      { path: '/home/me/work', kind: 'writable' },
      { path: '/home/me', kind: 'hidden-folder' },
      { path: '/keys', kind: 'hidden-folder' },
      { path: '/home/me/code/.env', kind: 'hidden-file' },
    ],
  })

  expect(args.slice(args.indexOf('/proc') + 1).join(' ')).toBe(
    [
      '--perms 0000 --tmpfs /keys',
      '--perms 0111 --tmpfs /home/me',
      '--bind /home/me/work /home/me/work',
      '--ro-bind /private/denied /home/me/code/.env',
      '--perms 0555 --tmpfs /home/me/code/.haft',
      '--remount-ro /keys --remount-ro /home/me --remount-ro /home/me/code/.haft',
      '--seccomp 9 --chdir /code --',
    ].join(' '),
  )
})

test('a path is always a separate argument after its option, so that it cannot be mistaken for an option', () => {
  const path = '/--bind /etc\n"; rm -rf'
  const args = createBubblewrapArguments({ ...view, mounts: [{ path, kind: 'writable' }] })

  expect(args.filter((word) => word === path)).toHaveLength(2)
})

test('bubblewrap gets the stricter of two mounts for one path, whatever their order', () => {
  const mounts = [
    { path: '/a', kind: 'writable' },
    { path: '/a', kind: 'hidden-folder' },
    { path: '/b', kind: 'absent' },
    { path: '/b', kind: 'read-only' },
  ] as const

  for (const order of [mounts, mounts.toReversed()]) {
    expect(orderMounts(order)).toEqual([
      { path: '/a', kind: 'hidden-folder' },
      { path: '/b', kind: 'absent' },
    ])
  }
})
