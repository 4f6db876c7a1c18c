import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../../testing/property-runs.js'
import { createSeatbeltProfile } from './seatbelt-profile.js'

const READ_ONLY_VIEW = { mounts: [], allowsUnixSockets: false }

test('a read-only Seatbelt profile permits no writes and no network', () => {
  expect(createSeatbeltProfile(READ_ONLY_VIEW)).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    ; These would start a program outside the sandbox.
    (deny appleevent-send)
    (deny lsopen)
    (deny job-creation)
    (deny signal)
    (allow signal (target same-sandbox))
    (deny network*)
    (deny file-write*)
    (allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty") (literal "/dev/dtracehelper") (regex #"^/dev/fd/"))
    "
  `)
})

test('the Seatbelt profile for a working folder has a rule for each kind of mount', () => {
  const profile = createSeatbeltProfile({
    mounts: [
      { path: '/Users/me/work', kind: 'writable' },
      { path: '/Users/me/code/.git/config', kind: 'read-only' },
      { path: '/Users/me', kind: 'hidden-folder' },
      { path: '/Users/me/code/.env', kind: 'hidden-file' },
      { path: '/Users/me/code/.haft', kind: 'absent' },
    ],
    proxyPort: 3128,
    allowsUnixSockets: true,
  })

  expect(profile.replace(/regex #"\/\(.*?\)\(/, 'regex #"/(…)(')).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    ; These would start a program outside the sandbox.
    (deny appleevent-send)
    (deny lsopen)
    (deny job-creation)
    (deny signal)
    (allow signal (target same-sandbox))
    (deny network*)
    (allow network* (remote unix-socket))
    (allow network* (local unix-socket))
    (allow network-outbound (remote ip "localhost:3128"))
    (deny file-write*)
    (allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/tty") (literal "/dev/dtracehelper") (regex #"^/dev/fd/"))
    (deny file-read* (subpath "/Users/me"))
    (deny file-write* (subpath "/Users/me"))
    (allow file-read* (subpath "/Users/me/work"))
    (allow file-write* (subpath "/Users/me/work"))
    (deny file-read* (subpath "/Users/me/code/.env"))
    (deny file-write* (subpath "/Users/me/code/.env"))
    (deny file-write* (subpath "/Users/me/code/.haft"))
    (allow file-read* (subpath "/Users/me/code/.git/config"))
    (deny file-write* (subpath "/Users/me/code/.git/config"))
    (deny file-write* (require-all (subpath "/Users/me/work") (regex #"/(…)(/|$)")))
    (deny file-write-unlink (require-all (subpath "/Users/me/work") (regex #"/[.][gG][iI][tT]$")))
    "
  `)
})

test('a Seatbelt profile matches protected names in any letter case, even before they exist', () => {
  const profile = createSeatbeltProfile({ ...READ_ONLY_VIEW, mounts: [{ path: '/w', kind: 'writable' }] })
  const source = /\(require-all \(subpath "\/w"\) \(regex #"(.*?)"\)\)/.exec(profile)?.[1] ?? ''
  const isProtected = (path: string) => new RegExp(source).test(path)

  expect(
    ['/w/.git/hooks/x', '/w/a/.GIT/Config', '/w/.haft', '/w/.Haft/settings.json', '/w/.config/fish/x'].filter(
      isProtected,
    ),
  ).toHaveLength(5)
  expect(
    ['/w/.git/index', '/w/xgit/config', '/w/.haftx', '/w/a.git/hooks', '/w/src/.gitignore'].filter(isProtected),
  ).toEqual([])
})

test('a folder name cannot end its string in a Seatbelt profile and add a rule', () => {
  const hostileName = fc.string({
    unit: fc.constantFrom('"', '\\', ')', '(', '\n', ' ', ';', 'a', '#', '\t', 'é'),
    maxLength: 20,
  })
  fc.assert(
    fc.property(hostileName, (name) => {
      const profile = createSeatbeltProfile({ ...READ_ONLY_VIEW, mounts: [{ path: `/${name}`, kind: 'read-only' }] })
      const line = profile.split('\n').find((text) => text.startsWith('(deny file-write* (subpath'))

      expect(profile.split('\n')).toHaveLength(createSeatbeltProfile(READ_ONLY_VIEW).split('\n').length + 1)
      expect(line).toMatch(/^\(deny file-write\* \(subpath "(?:[^"\\]|\\.)*"\)\)$/)
    }),
    createPropertyOptions(),
  )
})

test('a Seatbelt profile for reading shows only the mounts in the folders of users', () => {
  const profile = createSeatbeltProfile({
    ...READ_ONLY_VIEW,
    hiddenRoots: ['/Users'],
    mounts: [
      { path: '/Users/me/project', kind: 'read-only' },
      { path: '/Users/me/alias', kind: 'link', target: 'project' },
      { path: '/Users/me/project/.env', kind: 'hidden-file' },
    ],
  })

  const lines = profile.split('\n')
  const expected = [
    '(deny file-read* (subpath "/Users"))',
    '(allow file-read-metadata (literal "/Users/me/alias"))',
    '(allow file-read-metadata (literal "/Users/me"))',
    '(allow file-read* (subpath "/Users/me/project"))',
    '(deny file-read* (subpath "/Users/me/project/.env"))',
  ]
  expect(lines.filter((line) => expected.includes(line))).toEqual(expected)
})
