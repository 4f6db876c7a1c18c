import type { CommandAnalysis } from './command.js'

/** A file or folder. A folder covers everything below it; a trailing slash marks a folder. */
export interface PathResource {
  readonly path: string
}

/**
 * Any other resource that calls share, by a name such as `todo:list` or `shell:cwd`.
 * Names are compared as a whole: `db:users/1` is not part of `db:users`.
 */
export interface ThingResource {
  readonly thing: string
}

/**
 * Something that a call reads or writes. Not a string with a prefix, because a file may be called `todo:list`, and only
 * the tool can distinguish that file from the thing.
 */
export type Resource = PathResource | ThingResource

/** The resources that a call uses, as returned by `resources(input)` of its tool. */
export interface ToolResources {
  readonly reads?: readonly Resource[]
  readonly writes?: readonly Resource[]
  /** Whether the call may use more resources than it lists. */
  readonly unknown?: boolean
  /** Whether the call sends something to another machine. */
  readonly network?: boolean
  /** Whether the call does nothing but read and write what it lists, although the ports of its tool can do more. */
  readonly isAll?: boolean
}

/** The working directory of the shell: every command reads it, and one that may change it writes it. */
export const SHELL_CWD: ThingResource = Object.freeze({ thing: 'shell:cwd' })

/** Whether a resource is a file or folder. */
export function isPathResource(resource: Resource): resource is PathResource {
  return (resource as Partial<PathResource>).path !== undefined
}

/** Whether two resources have the same kind and name. Paths are compared as written. */
export function isSameResource(one: Resource, other: Resource): boolean {
  if (isPathResource(one)) return isPathResource(other) && one.path === other.path
  return !isPathResource(other) && one.thing === other.thing
}

/** The members of a tool that `getStatedResources` reads. */
export interface ResourceStatingTool {
  readonly name: string
  resources?(input: any, command?: CommandAnalysis): ToolResources
}

/**
 * Returns the resources that a tool states for a call, or undefined for a tool without `resources`. Throws a TypeError
 * if they are malformed: a malformed list must not count as an empty one.
 */
export function getStatedResources(
  tool: ResourceStatingTool,
  input: unknown,
  command?: CommandAnalysis,
): ToolResources | undefined {
  if (tool.resources === undefined) return undefined
  const answer: unknown = tool.resources(input, command)
  if (answer instanceof Promise) answer.catch(() => {}) // An unhandled rejection would end the process.
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) || 'then' in answer) {
    throw createMalformedError(tool, 'must return an object, not a promise or a list')
  }
  const { reads, writes, unknown, network, isAll } = answer as Readonly<Record<string, unknown>>
  if (!isResourceList(reads) || !isResourceList(writes)) {
    throw createMalformedError(tool, 'must list values such as { path } or { thing } under reads and writes')
  }
  return {
    ...(reads !== undefined && { reads }),
    ...(writes !== undefined && { writes }),
    unknown: isSet(unknown),
    network: isSet(network),
    // If the value is unclear, the call may do more.
    isAll: isAll === true,
  }
}

function createMalformedError({ name }: ResourceStatingTool, rule: string): TypeError {
  return new TypeError(`${name}: resources() ${rule}.`)
}

function isResourceList(list: unknown): list is readonly Resource[] | undefined {
  return list === undefined || (Array.isArray(list) && list.every(isResource))
}

function isResource(value: unknown): value is Resource {
  if (typeof value !== 'object' || value === null) return false
  const { path, thing } = value as { readonly path?: unknown; readonly thing?: unknown }
  return thing === undefined ? typeof path === 'string' : path === undefined && typeof thing === 'string'
}

/** Whether a flag is set. Any value but undefined and false counts as true, so that a mistake errs on the safe side. */
function isSet(flag: unknown): boolean {
  return flag !== undefined && flag !== false
}
