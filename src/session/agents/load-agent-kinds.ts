import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isSameAgentKind } from '../../contract/ports/agents.js'
import { realPath } from '../../settings/files/real-path.js'
import { isPathInside } from '../../shared/path-containment.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { AgentKind } from './agent-kind.js'
import { BUILT_IN_KINDS } from './built-in-kinds.js'

export interface AgentKindsPlace {
  readonly projectRoot: string
  /** Undefined where the user has none. */
  readonly home: string | undefined
  /** Whether a person trusts the project: else nothing of it counts. */
  readonly isTrusted: boolean
  readonly onProblem?: (problem: string) => void
}

const FOLDERS = [join('.haft', 'agents'), join('.claude', 'agents')]
const MAX_FILES = 200
const MAX_FILE_BYTES = 256 * 1024

/** The kinds that come with Haft and those of the project and the user; of one name the nearest counts. */
export async function loadAgentKinds(place: AgentKindsPlace): Promise<readonly AgentKind[]> {
  const { projectRoot, home, isTrusted } = place
  // What lies in the home folder is the user's own, also where that is the project.
  const ofProject = isTrusted && home !== projectRoot ? FOLDERS : []
  const folders = [
    ...ofProject.map((folder) => ({ folder: join(projectRoot, folder), source: 'project' as const })),
    ...(home === undefined ? [] : FOLDERS.map((folder) => ({ folder: join(home, folder), source: 'user' as const }))),
  ]
  const found = await Promise.all(folders.map(({ folder, source }) => readFolder(folder, source, place)))
  return merged(found.flat())
}

/** Built-in ones in their order, then the others by name: what a model is told of them does not change by itself. */
function merged(written: readonly AgentKind[]): readonly AgentKind[] {
  const nearest = written.filter(
    (kind, index) => written.findIndex(({ name }) => isSameAgentKind(name, kind.name)) === index,
  )
  const instead = (kind: AgentKind) => nearest.find(({ name }) => isSameAgentKind(name, kind.name)) ?? kind
  const builtIn = BUILT_IN_KINDS.map(instead)
  const others = nearest.filter((kind) => !builtIn.includes(kind))
  return [...builtIn, ...others.sort((a, b) => (a.name < b.name ? -1 : 1))]
}

async function readFolder(
  folder: string,
  source: AgentKind['source'],
  { projectRoot, onProblem = () => {} }: AgentKindsPlace,
): Promise<readonly AgentKind[]> {
  const names = await markdownIn(folder)
  if (names.length === 0) return []
  if (names.length > MAX_FILES) onProblem(`${folder}: only the first ${MAX_FILES} of ${names.length} agents are read.`)
  const { parseAgentFile } = await import('./parse-agent-file.js')
  const read = names.slice(0, MAX_FILES).map(async (name): Promise<readonly AgentKind[]> => {
    const path = join(folder, name)
    try {
      // Its text goes to a model: what lies outside the project nobody has trusted with it.
      if (source === 'project' && !isPathInside(await realPath(path), await realPath(projectRoot)))
        throw new Error('it is a link out of the project')
      const { kind, problems } = await parseAgentFile(await readText(path), name)
      for (const problem of problems) onProblem(`${path}: ${problem}.`)
      return [{ ...kind, source, path }]
    } catch (error) {
      onProblem(`${path}: ${reasonOf(error)}.`)
      return []
    }
  })
  return (await Promise.all(read)).flat()
}

async function markdownIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => /\.md$/i.test(name)).sort()
  } catch {
    // Most people have no such folder.
    return []
  }
}

/** Whatever lies there is opened without waiting for it, and read up to a limit. */
async function readText(path: string): Promise<string> {
  const { constants } = await import('node:fs')
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const { size } = await file
      .stat()
      .then((stat) => (stat.isFile() ? stat : Promise.reject(new Error('it is no file'))))
    if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
