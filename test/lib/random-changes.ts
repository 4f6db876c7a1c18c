import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import type { CheckpointedProject } from './checkpointed-project.js'

const TOOLS = ['Write', 'Edit', 'MultiEdit', 'ApplyPatch', 'DeleteByPatch', 'NotebookEdit'] as const

/** A change that a model may make to files: a command, or a tool call with a path, a word and other paths. */
export type Change =
  | { readonly tool: 'Bash'; readonly command: string }
  | {
      readonly tool: (typeof TOOLS)[number]
      readonly path: string
      readonly word: string
      readonly otherWords: readonly [string, string]
    }

/** Few names, so that changes often collide: files become folders, and links lose their targets. */
const name = fc.constantFrom('a', 'b', 'c', 'd', 'd/x', 'd/y', 'd/deep/z', 'e', 'e/x', 'link')
const mode = fc.constantFrom('600', '644', '640', '755', '700')
const word = fc.constantFrom('one', 'two', 'three', 'four')

/** Commands whose writes are known. Most of them create files, so that later commands have files to change. */
const command = fc.oneof(
  fc.tuple(fc.constantFrom('mv', 'cp', 'cp -r', 'cp -a'), name, name).map((words) => words.join(' ')),
  fc.tuple(fc.constantFrom('rm', 'rm -rf', 'mkdir', 'rmdir'), name).map((words) => words.join(' ')),
  fc.tuple(fc.constantFrom('mkdir -p', 'touch'), name).map((words) => words.join(' ')),
  fc.tuple(mode, name).map(([bits, path]) => `chmod ${bits} ${path}`),
  fc.tuple(word, word, name).map(([from, to, path]) => `sed -i 's/${from}/${to}/' ${path}`),
  {
    weight: 4,
    arbitrary: fc.tuple(word, fc.constantFrom('>', '>>'), name).map(([text, to, path]) => `echo ${text} ${to} ${path}`),
  },
)

export const randomChange: fc.Arbitrary<Change> = fc.oneof(
  command.map((text): Change => ({ tool: 'Bash', command: text })),
  fc.record({ tool: fc.constantFrom(...TOOLS), path: name, word, otherWords: fc.tuple(name, name) }),
)

/** Makes the change through the runtime. A change that is impossible fails and may have been made in part. */
export async function makeChange(change: Change, project: CheckpointedProject): Promise<void> {
  try {
    if (change.tool === 'Bash') await project.perform('Bash', { command: change.command })
    else await CHANGE_BY_TOOL[change.tool](change, project)
  } catch {
    // A partial change is undone like any other.
  }
}

type Edit = Exclude<Change, { readonly tool: 'Bash' }>
type PerformEdit = (edit: Edit, project: CheckpointedProject) => Promise<unknown>

/** An edit that first reads the file, as a model would. Empty and missing files are skipped. */
function editText(make: (edit: Edit, text: string, project: CheckpointedProject) => Promise<unknown>): PerformEdit {
  return async (edit, project) => {
    const text = readText(project.at(edit.path))
    if (!text) return
    await project.perform('Read', { file_path: edit.path })
    await make(edit, text, project)
  }
}

const CHANGE_BY_TOOL = {
  async Write({ path, word }, { perform, at }) {
    if (readText(at(path)) !== undefined) await perform('Read', { file_path: path })
    await perform('Write', { file_path: path, content: `${word}\nend\n` })
  },
  Edit: editText(({ path, word }, old, { perform }) =>
    perform('Edit', { file_path: path, old_string: old, new_string: `${word} edited\n${old}` }),
  ),
  MultiEdit: editText(({ path, word }, old, { perform }) => {
    const edits = [
      { old_string: old, new_string: word },
      { old_string: word, new_string: `${word} twice\n` },
    ]
    return perform('MultiEdit', { file_path: path, edits })
  }),
  ApplyPatch: editText(({ path, word, otherWords: [to, added] }, old, { perform }) => {
    const [firstLine] = old.split('\n')
    const update = [`*** Update File: ${path}`, `*** Move to: ${to}`, '@@', `-${firstLine}`, `+${word} patched`]
    const patch = ['*** Begin Patch', ...update, `*** Add File: ${added}`, `+${word} added`, '*** End Patch']
    return perform('ApplyPatch', { patch: patch.join('\n') })
  }),
  DeleteByPatch: editText(({ path }, _, { perform }) =>
    perform('ApplyPatch', { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }),
  ),
  async NotebookEdit({ word }, { perform }) {
    await perform('Read', { file_path: NOTEBOOK_PATH })
    const cell = { new_source: word, cell_type: 'markdown', edit_mode: 'insert' }
    await perform('NotebookEdit', { notebook_path: NOTEBOOK_PATH, ...cell })
  },
} satisfies Record<(typeof TOOLS)[number], PerformEdit>

const NOTEBOOK_PATH = 'n.ipynb'

/**
 * Creates the files that exist before the first change: a notebook, a file, an empty folder, and links to a file, to a folder and to
 * nothing.
 */
export function fillProject({ at }: CheckpointedProject): void {
  writeFileSync(at(NOTEBOOK_PATH), JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }))
  mkdirSync(at('d'))
  mkdirSync(at('empty'), 0o711)
  writeFileSync(at('d/x'), 'one\r\ntwo\r\n', { mode: 0o750 })
  symlinkSync('d/x', at('link'))
  symlinkSync('d', at('e'))
  symlinkSync('nowhere', at('d/y'))
}

function readText(path: string): string | undefined {
  return existsSync(path) && lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
}
