import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolResultBlock } from '../../src/contract/messages.js'
import type { CheckpointRecord } from '../../src/ports/checkpoints/checkpoint-log.js'
import { createCheckpoints, type RewindResult } from '../../src/ports/checkpoints/create-checkpoints.js'
import { createToolRuntime } from '../../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../../src/tools/index.js'
import { textOf } from '../runtime-fixtures.js'

/** A project in which the built-in tools run through a runtime and their changes can be undone. */
export interface CheckpointedProject {
  readonly home: string
  readonly folder: string
  readonly at: (name: string) => string
  /** Makes one call through the runtime; throws if it fails. */
  readonly perform: (name: string, input: object) => Promise<string>
  /** The number of calls so far; the last one has the id `toolu_` plus this number. */
  readonly callCount: () => number
  /** The checkpoints as another process, such as `haft rewind`, sees them. */
  readonly list: () => Promise<readonly CheckpointRecord[]>
  readonly rewind: (id: string) => Promise<RewindResult>
  readonly close: () => Promise<void>
  readonly remove: () => void
}

export function createCheckpointedProject(): CheckpointedProject {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-undo-')))
  const folder = join(home, 'project')
  mkdirSync(folder)
  const checkpointsFolder = join(home, 'kept')
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd: folder,
    permissions: { mode: 'bypassPermissions' },
    machine: { homeDir: home },
    storage: { checkpointsDirectory: checkpointsFolder },
    policy: { isSandboxed: true },
  })
  let callCount = 0
  const runInAnotherProcess = async <T>(
    action: (checkpoints: ReturnType<typeof createCheckpoints>) => Promise<T>,
  ): Promise<T> => {
    const checkpoints = createCheckpoints({ folder: checkpointsFolder, session: 'other' })
    try {
      return await action(checkpoints)
    } finally {
      await checkpoints.close()
    }
  }
  return {
    home,
    folder,
    at: (name) => join(folder, name),
    async perform(name, input) {
      const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${++callCount}`, name, input }]).results
      return requireText(result, name)
    },
    callCount: () => callCount,
    list: () => runInAnotherProcess((checkpoints) => checkpoints.list()),
    rewind: (id) => runInAnotherProcess((checkpoints) => checkpoints.restore(id)),
    close: () => runtime.dispose(),
    remove: () => rmSync(home, { recursive: true }),
  }
}

function requireText(result: ToolResultBlock | undefined, name: string): string {
  const text = textOf(result)
  if (result?.is_error) throw new Error(`${name}: ${text}`)
  return text
}

/** Everything below a folder: kinds, modes, content and link targets. */
export function readTree(folder: string, root = folder): Readonly<Record<string, string>> {
  const entries: Record<string, string> = {}
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    const relativePath = path.slice(root.length + 1)
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) entries[relativePath] = `link to ${readlinkSync(path)}`
    else if (stats.isDirectory()) Object.assign(entries, { [relativePath]: `folder ${mode}` }, readTree(path, root))
    else entries[relativePath] = `${mode} ${readFileSync(path, 'latin1')}`
  }
  return entries
}
