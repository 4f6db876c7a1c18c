import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isSameAgentKind } from '../../contract/ports/agents.js'
import type { FindReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { resolveLinks } from '../../settings/files/resolve-real-path.js'
import { reasonOf } from '../../shared/reason-of.js'
import { type JudgedFileOptions, readJudgedFile } from '../read-judged-file.js'
import { type AgentKind, BUILT_IN_KINDS } from './agent-kinds.js'

/** Where `loadAgentKinds` looks for agent definitions. */
export interface LoadAgentKindsOptions {
  readonly projectRoot: string
  /** Undefined if the user has no home folder. */
  readonly home: string | undefined
  /** Whether the user trusts the project. Its kinds are loaded only then. */
  readonly isTrusted: boolean
  /** Returns the rule that forbids reading a file without approval. The content is sent to the model without a call. */
  readonly findRestriction?: FindReadRestriction
  readonly onProblem?: (problem: string) => void
}

const AGENT_FOLDERS = [join('.haft', 'agents'), join('.claude', 'agents')]
const MAX_FILES = 200
const MAX_FILE_BYTES = 256 * 1024

/** Loads the kinds of the project, the user and Haft. If several have the same name, the first in this order is used. */
export async function loadAgentKinds(options: LoadAgentKindsOptions): Promise<readonly AgentKind[]> {
  const { projectRoot, home, isTrusted } = options
  // The home folder belongs to the user, even if it is the project.
  const projectFolders = isTrusted && home !== projectRoot ? AGENT_FOLDERS : []
  const folders = [
    ...projectFolders.map((folder) => ({ folder: join(projectRoot, folder), source: 'project' as const })),
    ...(home === undefined
      ? []
      : AGENT_FOLDERS.map((folder) => ({ folder: join(home, folder), source: 'user' as const }))),
  ]
  const foundKinds = await Promise.all(folders.map(({ folder, source }) => readFolder(folder, source, options)))
  return mergeKinds(foundKinds.flat())
}

/** Returns the built-in kinds in their order, then the others by name, so that the list for the model is stable. */
function mergeKinds(kindsInFiles: readonly AgentKind[]): readonly AgentKind[] {
  const distinctKinds = kindsInFiles.filter(
    (kind, index) => kindsInFiles.findIndex(({ name }) => isSameAgentKind(name, kind.name)) === index,
  )
  const withReplacement = (kind: AgentKind) =>
    distinctKinds.find(({ name }) => isSameAgentKind(name, kind.name)) ?? kind
  const builtInKinds = BUILT_IN_KINDS.map(withReplacement)
  const otherKinds = distinctKinds.filter((kind) => !builtInKinds.includes(kind))
  return [...builtInKinds, ...otherKinds.sort((a, b) => (a.name < b.name ? -1 : 1))]
}

async function readFolder(
  folder: string,
  source: AgentKind['source'],
  { projectRoot, findRestriction, onProblem = () => {} }: LoadAgentKindsOptions,
): Promise<readonly AgentKind[]> {
  const names = await listMarkdownFiles(folder)
  if (names.length === 0) return []
  if (names.length > MAX_FILES)
    onProblem(`${folder}: only the first ${MAX_FILES} of ${names.length} agents are loaded.`)
  // The text is sent to a model, and the user trusts only files inside the project.
  const boundary = source === 'project' ? await resolveLinks(projectRoot) : undefined
  const { parseAgentFile } = await import('./parse-agent-file.js')
  const kindPromises = names.slice(0, MAX_FILES).map(async (name): Promise<readonly AgentKind[]> => {
    const path = join(folder, name)
    try {
      const { kind, problems } = await parseAgentFile(await readText(path, { boundary, findRestriction }), name)
      for (const problem of problems) onProblem(`${path}: ${problem}.`)
      return [{ ...kind, source, path }]
    } catch (error) {
      onProblem(`${path}: ${reasonOf(error)}.`)
      return []
    }
  })
  return (await Promise.all(kindPromises)).flat()
}

async function listMarkdownFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /\.md$/i.test(name)).sort()
  } catch {
    // Most users have no folder with agents.
    return []
  }
}

async function readText(path: string, options: JudgedFileOptions): Promise<string> {
  const file = await readJudgedFile(path, options, async (handle) => {
    const { size } = await handle.stat()
    return size > MAX_FILE_BYTES ? undefined : await handle.readFile('utf8')
  })
  if (file.kind === 'absent') throw new Error('it does not exist')
  if (file.kind === 'outside') throw new Error('it links to a file outside the project')
  if (file.kind === 'restricted') throw new Error(file.reason)
  if (file.kind === 'failed') throw new Error(`it ${file.reason}`)
  if (file.value === undefined) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
  return file.value
}
