import type { PrivateFiles } from '../../contract/host/private-files.js'
import type { McpServerEntry } from '../../contract/mcp/server-entry.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { hashValue } from './hash-value.js'

const APPROVALS_FILE = 'approvals.json'

/** The project servers that the user has approved, with the configuration they had at that time. */
export interface Approvals {
  /** Why the approvals could not be read. If set, no server counts as approved. */
  readonly problem?: string
  has(name: string, entry: McpServerEntry): boolean
}

type Projects = ReadonlyMap<string, ReadonlyMap<string, string>>

export async function readApprovals(files: PrivateFiles, project: string): Promise<Approvals> {
  try {
    const approvedHashes = parse(await files.read(APPROVALS_FILE)).get(project)
    return { has: (name, entry) => approvedHashes?.get(name) === hashApprovedContent(entry) }
  } catch (error) {
    return { problem: reasonOf(error), has: () => false }
  }
}

export function approveServer(files: PrivateFiles, project: string, name: string, entry: McpServerEntry) {
  return changeProject(files, project, (approvedHashes) =>
    new Map(approvedHashes).set(name, hashApprovedContent(entry)),
  )
}

export function forgetApproval(files: PrivateFiles, project: string, name: string): Promise<void> {
  return changeProject(
    files,
    project,
    (approvedHashes) => new Map([...approvedHashes].filter(([other]) => other !== name)),
  )
}

/** Returns a hash of the settings that decide what is started or contacted. Limits and the `disabled` switch do not count. */
function hashApprovedContent(entry: McpServerEntry): string {
  const { disabled, timeoutMs, startTimeoutMs, maxConcurrency, ...content } = entry
  return hashValue(content)
}

async function changeProject(
  files: PrivateFiles,
  project: string,
  change: (approvedHashes: ReadonlyMap<string, string>) => ReadonlyMap<string, string>,
): Promise<void> {
  await files.change(APPROVALS_FILE, (text) => {
    const projects = parse(text)
    const changedHashes = change(projects.get(project) ?? new Map())
    const otherProjects = [...projects].filter(([other]) => other !== project)
    const remainingProjects =
      changedHashes.size === 0 ? otherProjects : [...otherProjects, [project, changedHashes] as const]
    if (remainingProjects.length === 0) return undefined
    const store = Object.fromEntries(
      remainingProjects.map(([root, approvedHashes]) => [root, Object.fromEntries(approvedHashes)]),
    )
    return `${JSON.stringify({ projects: store }, null, 2)}\n`
  })
}

function parse(text: string | undefined): Projects {
  if (text === undefined) return new Map()
  const store = parseJson(text)
  if (!isRecord(store) || !isRecord(store.projects))
    throw new Error(
      `mcp/${APPROVALS_FILE} in the Haft folder is invalid. No MCP server of a project is approved until you correct or delete this file`,
    )
  return new Map(Object.entries(store.projects).map(([root, approvedHashes]) => [root, toStringMap(approvedHashes)]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller reports that the file is invalid.
    return undefined
  }
}

function toStringMap(value: unknown): ReadonlyMap<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : []
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
