import { posix, win32 } from 'node:path'
import type { CommandAnalysis } from '../../contract/command.js'
import {
  getStatedResources,
  isPathResource,
  isSameResource,
  type Resource,
  SHELL_CWD,
  type ThingResource,
  type ToolResources,
} from '../../contract/resources.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isCallConcurrencySafe } from '../../contract/tool/traits.js'
import { isTooLongToLookUp } from '../../shared/path-problem.js'

/** `base` considers only whether a call is concurrency-safe, `resources` also the resources that it declares. */
export type SchedulingRule = 'base' | 'resources'

/** The resources that a call declares, before paths are resolved. */
export type DeclaredResources =
  | { readonly kind: 'everything'; readonly isExclusive: boolean; readonly usesCwd: true; readonly changesCwd: false }
  | {
      readonly kind: 'listed'
      readonly reads: readonly Resource[]
      readonly writes: readonly Resource[]
      /** Whether a resource is relative to the working directory. */
      readonly usesCwd: boolean
      /** Whether the call may change the working directory of later calls. */
      readonly changesCwd: boolean
    }

const WINDOWS_PATH = /^(?:[a-zA-Z]:[\\/]|\\\\)/

const UNDECLARED_EXCLUSIVE: DeclaredResources = {
  ...{ kind: 'everything', isExclusive: true, usesCwd: true, changesCwd: false },
}
const UNDECLARED_SHARED: DeclaredResources = { ...UNDECLARED_EXCLUSIVE, isExclusive: false }

/** The parts of a call that its resources depend on. */
interface SchedulableCall {
  readonly tool: Tool
  readonly input: Record<string, unknown>
  readonly command?: CommandAnalysis | undefined
}

/**
 * Returns the resources that a call declares. One that declares nothing holds everything: shared if it is concurrency-safe,
 * otherwise exclusively.
 */
export function getDeclaredResources(
  { tool, input, command }: SchedulableCall,
  rule: SchedulingRule,
): DeclaredResources {
  const undeclaredClaims = isCallConcurrencySafe(tool, input, command) ? UNDECLARED_SHARED : UNDECLARED_EXCLUSIVE
  if (rule === 'base') return undeclaredClaims
  try {
    const resources = getStatedResources(tool, input, command)
    if (resources === undefined || resources.unknown === true) return undeclaredClaims
    return toListedResources(resources) ?? undeclaredClaims
  } catch {
    // A tool whose `resources` fails may use anything.
    return UNDECLARED_EXCLUSIVE
  }
}

/** Returns the resources that a tool lists. A tool that lists neither reads nor writes has declared nothing. */
function toListedResources({ reads, writes }: ToolResources): DeclaredResources | undefined {
  if (reads === undefined && writes === undefined) return undefined
  const allResources = [...(reads ?? []), ...(writes ?? [])]
  return {
    kind: 'listed',
    reads: reads ?? [],
    writes: writes ?? [],
    usesCwd: allResources.some(
      (each) => isSameResource(each, SHELL_CWD) || (isPathResource(each) && isRelative(each.path)),
    ),
    changesCwd: writes?.some((each) => isSameResource(each, SHELL_CWD)) === true,
  }
}

function isRelative(path: string): boolean {
  return !path.startsWith('/') && !WINDOWS_PATH.test(path)
}

/** The resources that a call holds while it runs, as keys that are equal for all names of the same resource. */
export type Claims =
  | { readonly kind: 'everything'; readonly isExclusive: boolean }
  | { readonly kind: 'listed'; readonly reads: readonly string[]; readonly writes: readonly string[] }

/** The facts, besides its name, that the keys of a resource depend on. */
export interface PathLookup {
  readonly cwd: string
  /** Returns one canonical path for a file that has several, because of links or letter case. */
  readonly identify?: ((path: string) => string) | undefined
  /** Returns a key that all hard links to a file share; undefined if it has only one name. */
  readonly hardLinkName?: ((path: string) => string | undefined) | undefined
}

export const EXCLUSIVE_CLAIMS = { kind: 'everything', isExclusive: true } as const
export const SHARED_CLAIMS = { kind: 'everything', isExclusive: false } as const

/** Names are resolved on the event loop. A call with more resources runs alone, so that they need not be resolved. */
const MAX_RESOLVED_RESOURCES = 200

/** The same limit for paths with many folders: each name of a path is looked up, again for each `..` in the path. */
const MAX_LOOKUPS = 3_000

function countLookups(paths: readonly string[]): number {
  return paths.reduce((count, path) => {
    const names = path.split(/[\\/]/)
    return count + names.length * (1 + names.filter((name) => name === '..').length)
  }, 0)
}

/** Resolves the declared resources of a call. The result can change when a link is moved or the working directory changes. */
export function resolveClaims(declaredResources: DeclaredResources, lookup: PathLookup): Claims {
  if (declaredResources.kind === 'everything') return declaredResources.isExclusive ? EXCLUSIVE_CLAIMS : SHARED_CLAIMS
  const { reads, writes } = declaredResources
  if (reads.length + writes.length > MAX_RESOLVED_RESOURCES) return EXCLUSIVE_CLAIMS
  const paths = [...reads, ...writes].filter(isPathResource).map(({ path }) => path)
  if (paths.some(isTooLongToLookUp) || countLookups(paths) > MAX_LOOKUPS) return EXCLUSIVE_CLAIMS
  try {
    // A call that writes a link and another path may move the link, and it is unknown what the link then points to.
    if (
      hasWriteAndOtherResource(reads, writes) &&
      writes.some((each) => isPathResource(each) && isLink(each.path, lookup))
    )
      return EXCLUSIVE_CLAIMS
    return {
      kind: 'listed',
      reads: [
        ...reads.flatMap((each) => toKeys(each, lookup)),
        ...[...reads, ...writes]
          .filter(isPathResource)
          .flatMap(({ path }) => listTraversedFolders(path))
          .flatMap((path) => toPathKeys(path, lookup)),
      ],
      writes: writes.flatMap((each) => toKeys(each, lookup)),
    }
  } catch {
    // A path that cannot be resolved could be any file.
    return EXCLUSIVE_CLAIMS
  }
}

/** Whether the call writes something and names at least two different resources. An edit reads and writes a single path. */
function hasWriteAndOtherResource(reads: readonly Resource[], writes: readonly Resource[]): boolean {
  const [first] = writes
  return first !== undefined && [...writes, ...reads].some((each) => !isSameResource(each, first))
}

/** Whether the last part of the path is a symbolic link. */
function isLink(name: string, { cwd, identify }: PathLookup): boolean {
  if (identify === undefined) return false
  const { resolve, join, dirname, basename } = choosePathModule(cwd)
  const absolutePath = resolve(cwd, name)
  const realPath = identify(absolutePath)
  if (realPath === absolutePath) return false
  const unfollowedPath = join(identify(dirname(absolutePath)), basename(absolutePath))
  return realPath !== unfollowedPath && realPath !== unfollowedPath.toLowerCase()
}

function toKeys(resource: Resource, lookup: PathLookup): readonly string[] {
  return isPathResource(resource) ? toPathKeys(resource.path, lookup) : [toThingKey(resource)]
}

/** Returns the keys of a path itself and of its target, because a call that is running may be about to remove the link. */
function toPathKeys(name: string, { cwd, identify, hardLinkName }: PathLookup): readonly string[] {
  const { resolve, isAbsolute, sep } = choosePathModule(cwd)
  const absolutePath = resolve(cwd, name)
  if (identify === undefined) return [toKey(absolutePath, cwd)]
  const keys = new Set([toKey(absolutePath, cwd), toKey(identify(absolutePath), cwd)])
  // The operating system follows a link before it resolves a `..` that follows the link.
  if (PARENT_STEP.test(name)) keys.add(toKey(identify(isAbsolute(name) ? name : cwd + sep + name), cwd))
  const hardLinkKey = hardLinkName?.(absolutePath)
  if (hardLinkKey !== undefined) keys.add(hardLinkKey)
  return [...keys]
}

const PARENT_STEP = /(?:^|[\\/])\.\.(?:[\\/]|$)/

/**
 * Returns the folders that a path enters and leaves again, such as `sub` in `sub/../file`. The path is valid only while they
 * exist.
 */
function listTraversedFolders(name: string): readonly string[] {
  if (!PARENT_STEP.test(name)) return []
  const segments = name.split(/[\\/]/)
  const enteredFolders = segments.flatMap((segment, index) => (segment === '..' ? [segments.slice(0, index)] : []))
  return enteredFolders
    .filter((path) => path.some((segment) => !/^\.{0,2}$/.test(segment)))
    .map((path) => path.join('/'))
}

/** Converts a path to a key: with forward slashes on every platform; the root is the empty string. */
function toKey(path: string, cwd: string): string {
  const slashedPath = WINDOWS_PATH.test(cwd) ? path.replaceAll('\\', '/') : path
  return slashedPath.endsWith('/') ? slashedPath.slice(0, -1) : slashedPath
}

function choosePathModule(cwd: string): typeof posix {
  return WINDOWS_PATH.test(cwd) ? win32 : posix
}

/** The prefix of the keys of things. The key of a path starts with a slash or a drive letter, so the two never collide. */
const THING_PREFIX = 'thing:'

export function toThingKey({ thing }: ThingResource): string {
  return THING_PREFIX + thing
}

/** Returns the folders that contain a path, nearest first; the root is the empty string. A key that is not a path has none. */
export function listFoldersAbove(key: string): readonly string[] {
  const folders: string[] = []
  if (key.startsWith(THING_PREFIX)) return folders
  for (let end = key.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : key.lastIndexOf('/', end - 1)) {
    folders.push(key.slice(0, end))
  }
  return folders
}

export type ListedClaims = Extract<Claims, { kind: 'listed' }>

/** Returns the key of a resource that the earlier call writes and the later one reads or writes; undefined if there is none. */
export function findWrittenKey({ writes }: ListedClaims, laterClaims: ListedClaims): string | undefined {
  if (writes.length === 0) return undefined
  const writtenKeys = new Set(writes)
  return [...laterClaims.reads, ...laterClaims.writes].find((key) => {
    const usedKey = new Set([key])
    return coversKey(writtenKeys, key) || writes.some((writtenKey) => coversKey(usedKey, writtenKey))
  })
}

/** Returns the name of a resource for a message. */
export function describeKey(key: string): string {
  if (key === toThingKey(SHELL_CWD)) return 'the working directory'
  return key.startsWith(THING_PREFIX) ? key.slice(THING_PREFIX.length) : key || '/'
}

/** Whether the second claims include something that the first do not. */
export function haveGrown(claimsBefore: Claims, claimsAfter: Claims): boolean {
  if (claimsBefore.kind === 'everything') return !claimsBefore.isExclusive && writesAnything(claimsAfter)
  if (claimsAfter.kind === 'everything') return true
  const keysWrittenBefore = new Set(claimsBefore.writes)
  const keysClaimedBefore = new Set([...claimsBefore.reads, ...claimsBefore.writes])
  return (
    claimsAfter.reads.some((key) => !coversKey(keysClaimedBefore, key)) ||
    claimsAfter.writes.some((key) => !coversKey(keysWrittenBefore, key))
  )
}

function writesAnything(claims: Claims): boolean {
  return claims.kind === 'everything' ? claims.isExclusive : claims.writes.length > 0
}

/** Whether the keys include this key, or a folder that contains it. */
function coversKey(keys: ReadonlySet<string>, key: string): boolean {
  return keys.has(key) || listFoldersAbove(key).some((folder) => keys.has(folder))
}
