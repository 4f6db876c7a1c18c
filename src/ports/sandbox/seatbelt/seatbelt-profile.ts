import { isPathInside } from '../../../shared/path-containment.js'
import { type Mount, orderMounts } from '../mounts.js'
import { CONTROL_FILES, PROTECTED_PATHS, PROTECTED_SUFFIXES } from '../protect/protected-names.js'
import { listFoldersAbove } from '../reading/visible-path.js'

export interface SeatbeltView {
  readonly mounts: readonly Mount[]
  /** Folders in which only mounts are visible. */
  readonly hiddenRoots?: readonly string[]
  /** The local port of the proxy. Without it, commands have no network access. */
  readonly proxyPort?: number
  readonly allowsUnixSockets: boolean
}

/** Generates a Seatbelt profile. If several rules match, the last one applies. */
export function createSeatbeltProfile({
  mounts,
  hiddenRoots = [],
  proxyPort,
  allowsUnixSockets,
}: SeatbeltView): string {
  const orderedMounts = orderMounts(mounts)
  const writablePaths = orderedMounts.filter(({ kind }) => kind === 'writable').map(({ path }) => path)
  const lines = [
    '(version 1)',
    '(allow default)',
    '; These would start a program outside the sandbox.',
    '(deny appleevent-send)',
    '(deny lsopen)',
    '(deny job-creation)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny network*)',
    ...(allowsUnixSockets ? ['(allow network* (remote unix-socket))', '(allow network* (local unix-socket))'] : []),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    '(deny file-write*)',
    `(allow file-write* ${DEVICE_PATHS.map((path) => `(literal ${quoteString(path)})`).join(' ')} (regex #"^/dev/fd/"))`,
    ...hiddenRoots.map((path) => `(deny file-read* (subpath ${quoteString(path)}))`),
    ...(hiddenRoots.length > 0 ? findPassages(orderedMounts) : []),
    ...orderedMounts.flatMap((mount) => createMountRules(mount, orderedMounts, hiddenRoots)),
    ...writablePaths.flatMap(createProtectionRules),
  ]
  return `${lines.join('\n')}\n`
}

const DEVICE_PATHS = ['/dev/null', '/dev/zero', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/dtracehelper']

/** Returns the folders and links above visible paths. They can be looked up, but not listed. */
function findPassages(mounts: readonly Mount[]): readonly string[] {
  const links = mounts.filter(({ kind }) => kind === 'link').map(({ path }) => path)
  const folders = new Set([...links, ...mounts.flatMap(({ path }) => listFoldersAbove(path))])
  return [...folders].map((path) => `(allow file-read-metadata (literal ${quoteString(path)}))`)
}

function createMountRules(
  { path, kind }: Mount,
  allMounts: readonly Mount[],
  hiddenRoots: readonly string[],
): readonly string[] {
  const subpath = `(subpath ${quoteString(path)})`
  const hiddenPaths = allMounts.filter((other) => other.kind.startsWith('hidden')).map((other) => other.path)
  const isShownAgain = [...hiddenPaths, ...hiddenRoots].some((hiddenPath) => isPathInside(path, hiddenPath))
  const show = isShownAgain ? [`(allow file-read* ${subpath})`] : []
  switch (kind) {
    case 'writable':
      return [...show, `(allow file-write* ${subpath})`]
    case 'read-only':
      return [...show, `(deny file-write* ${subpath})`]
    case 'absent':
    case 'fixed-file':
      return [`(deny file-write* ${subpath})`]
    case 'hidden-file':
    case 'hidden-folder':
      return [`(deny file-read* ${subpath})`, `(deny file-write* ${subpath})`]
    case 'passage':
    case 'scratch':
    case 'link':
      return []
  }
}

/** Returns rules for protected names anywhere in a folder. With Seatbelt, these apply even to files that do not exist yet. */
function createProtectionRules(folder: string): readonly string[] {
  const git = CONTROL_FILES.map((name) => `.git/${name}`)
  const suffixes = PROTECTED_SUFFIXES.map((suffix) => `[^/]*${matchAnyCase(suffix)}`)
  const protectedPattern = [...[...PROTECTED_PATHS, ...git].map(matchAnyCase), ...suffixes].join('|')
  const subpathFilter = `(subpath ${quoteString(folder)})`
  return [
    `(deny file-write* (require-all ${subpathFilter} (regex #"/(${protectedPattern})(/|$)")))`,
    // Prevents another repository from replacing `.git`.
    `(deny file-write-unlink (require-all ${subpathFilter} (regex #"/${matchAnyCase('.git')}$")))`,
  ]
}

/**
 * Returns an expression for a name in any letter case. Most macOS file systems are case-insensitive, so `.GIT` means `.git`.
 */
function matchAnyCase(name: string): string {
  return [...name]
    .map((letter) => {
      const [lowerCase, upperCase] = [letter.toLowerCase(), letter.toUpperCase()]
      if (lowerCase !== upperCase) return `[${lowerCase}${upperCase}]`
      return /[\w/-]/.test(letter) ? letter : `[${letter}]`
    })
    .join('')
}

/** Quotes a string of the profile language, so that no file name can end the string. */
function quoteString(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, escapeControl)}"`
}

function escapeControl(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : character
}
