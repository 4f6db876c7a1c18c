import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { isPathInside, pathBelow } from '../../shared/path-containment.js'

/** A file in which people tell agents how to work here. */
export interface InstructionFile {
  readonly path: string
  readonly text: string
}

export interface InstructionPlace {
  readonly cwd: string
  readonly projectRoot: string
  /** Undefined where the user has none. */
  readonly home: string | undefined
  readonly onProblem?: (problem: string) => void
}

/** The first that a folder has counts; where one only points to the other, both names are one text. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const
const LOCAL_NAMES = ['AGENTS.local.md', 'CLAUDE.local.md'] as const
/** In all: more would crowd out the work. */
export const MAX_INSTRUCTION_CHARS = 40_000
const MAX_FILE_BYTES = 256 * 1024
const PROSE = /\.(?:md|mdx|mdc|markdown|txt|rst|adoc)$/i
const MAX_IMPORTS = 20
const MAX_IMPORT_DEPTH = 4

/** What the user and the project tell every agent: the user's own first, then from the project's root down to the working folder. */
export async function loadInstructions(place: InstructionPlace): Promise<readonly InstructionFile[]> {
  const { cwd, projectRoot, home } = place
  const users = home === undefined ? [] : [[join(home, '.haft', 'AGENTS.md')], [join(home, '.claude', 'CLAUDE.md')]]
  const folders = foldersDown(projectRoot, cwd).flatMap((folder) =>
    [NAMES, LOCAL_NAMES].map((names) => names.map((name) => join(folder, name))),
  )
  const found = await Promise.all([
    ...users.map((paths) => readFirst(paths, home ?? projectRoot)),
    ...folders.map((paths) => readFirst(paths, projectRoot)),
  ])
  return withinLimit(
    found.flatMap((file) => file ?? []),
    place,
  )
}

/** From the root to the working folder; only the working folder where that lies elsewhere. */
function foldersDown(root: string, cwd: string): readonly string[] {
  const steps = pathBelow(cwd, root)
  if (steps === undefined) return [cwd]
  if (steps === '') return [root]
  const names = steps.split(sep)
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))]
}

async function readFirst(paths: readonly string[], bounds: string): Promise<InstructionFile | undefined> {
  for (const path of paths) {
    const text = await readText(path, bounds)
    if (text === undefined || text.trim() === '') continue
    const imports = new ImportReader(bounds)
    return { path, text: (await imports.fill(text, dirname(path), 0)).trim() }
  }
  return undefined
}

/**
 * A file whose content is sent to a model must be what it seems: a link out of the project could lead to a secret, and an
 * import to one inside it. What is no prose is left to Read, which obeys the rules.
 */
async function readText(path: string, bounds: string): Promise<string | undefined> {
  try {
    const [real, within] = await Promise.all([realpath(path), realpath(bounds)])
    if (!isPathInside(real, within) || !PROSE.test(real)) return undefined
    // A pipe of that name must not hold up the start.
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const facts = await file.stat()
      if (!facts.isFile()) return undefined
      const bytes = Buffer.alloc(Math.min(facts.size, MAX_FILE_BYTES))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
      return bytes.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '')
    } finally {
      await file.close()
    }
  } catch {
    // Most folders have none; one that cannot be read is as good as none.
    return undefined
  }
}

/** A line that is nothing but `@path` stands for that file, as other agents have it. */
class ImportReader {
  readonly #bounds: string
  #count = 0

  constructor(bounds: string) {
    this.#bounds = bounds
  }

  async fill(text: string, folder: string, depth: number): Promise<string> {
    if (depth >= MAX_IMPORT_DEPTH || !/^@\S/m.test(text)) return text
    const lines: string[] = []
    for (const line of text.split('\n')) lines.push(await this.#line(line, folder, depth))
    return lines.join('\n')
  }

  async #line(line: string, folder: string, depth: number): Promise<string> {
    const named = /^@([^\s@]+)\s*$/.exec(line)?.[1]
    if (named === undefined || this.#count >= MAX_IMPORTS) return line
    const path = resolve(folder, named)
    const text = await readText(path, this.#bounds)
    if (text === undefined) return line
    this.#count++
    return this.fill(text.trimEnd(), dirname(path), depth + 1)
  }
}

/** The nearest files matter most, so that the others are cut first. */
function withinLimit(files: readonly InstructionFile[], { onProblem }: InstructionPlace): readonly InstructionFile[] {
  const kept: InstructionFile[] = []
  let room = MAX_INSTRUCTION_CHARS
  for (const file of [...files].reverse()) {
    if (file.text.length > room) onProblem?.(`${file.path} is too long: only its first ${room} characters are taken.`)
    const text = file.text.slice(0, room)
    room -= text.length
    if (text !== '') kept.unshift({ ...file, text })
  }
  return kept
}
