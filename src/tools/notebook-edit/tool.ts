import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, code, markdown } from '../../contract/view-builders.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { renderIntendedEdit, renderPath } from '../editing/edit-views.js'
import { prompt } from './prompt.js'

export const NotebookEditTool = buildTool({
  name: 'NotebookEdit',
  searchHint: 'edit jupyter notebook cells',
  needs: ['files'],
  shouldDefer: true,
  modes: { repl: 'hidden' },
  description: 'Changes a cell of a notebook',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      notebook_path: z.string().min(1).describe('The notebook, absolute or relative to the working directory'),
      cell_id: z.string().min(1).optional().describe('The cell to change, or to insert after'),
      new_source: z.string().describe('The complete new source of the cell'),
      cell_type: z.enum(['code', 'markdown']).optional().describe('The cell type; required for insert'),
      edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('The operation; "replace" by default'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      path: z.string(),
      mode: z.enum(['replace', 'insert', 'delete']),
      cellId: z.string(),
      cellType: z.string(),
      oldSource: z.string(),
      newSource: z.string(),
      notes: z.array(z.string()),
    }),
  ),

  getPath: ({ notebook_path }) => notebook_path,
  resources: ({ notebook_path }) => ({ reads: [{ path: notebook_path }], writes: [{ path: notebook_path }] }),
  validateInput({ notebook_path, edit_mode, cell_id, cell_type }) {
    const problem = findPathProblem(notebook_path) ?? findInputProblem(notebook_path, edit_mode, cell_id, cell_type)
    return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
  },
  // The tool raises no question of its own: path rules and the mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  toAutoClassifierInput: ({ notebook_path, new_source }) => ({ notebook_path, new_source }),

  async call(input, { files, cwd, signal }) {
    const { writeNotebook } = await import('./write-notebook.js')
    const path = resolve(cwd, input.notebook_path)
    const mode = input.edit_mode ?? 'replace'
    const { cell_id: cellId, cell_type: cellType, new_source: source } = input
    const plannedEdit = await writeNotebook(
      files,
      path,
      { mode, cellId, cellType, source, newId: createCellId() },
      signal,
    )
    const { cellId: id, cellType: type, oldSource } = plannedEdit
    const newSource = mode === 'delete' ? '' : source
    return { data: { path, mode, cellId: id, cellType: type, oldSource, newSource, notes: [...plannedEdit.notes] } }
  },

  mapToolResultToToolResultBlockParam({ path, mode, cellId, cellType, notes }, toolUseId) {
    return textResult(
      toolUseId,
      [`${PAST_TENSE_VERBS[mode]} the ${cellType} cell ${cellId} of ${path}.`, ...notes].join('\n'),
    )
  },

  getActivityDescription: (input) => `Editing ${asText(input?.notebook_path) ?? 'a notebook'}`,
  getToolUseSummary: (input) => asText(input?.notebook_path) ?? null,
  renderToolUseMessage: ({ notebook_path, cell_id }) => [
    renderPath(notebook_path),
    asText(cell_id) === undefined ? '' : `, cell ${cell_id}`,
  ],
  renderToolUseRejectedMessage: ({ new_source, cell_type }) =>
    cell_type === 'markdown'
      ? markdown(asText(new_source) ?? '')
      : code(asText(new_source) ?? '', { language: 'python' }),
  renderToolResultMessage: ({ mode, cellId, cellType, oldSource, newSource }) =>
    block(
      `${PAST_TENSE_VERBS[mode]} cell ${cellId}`,
      renderIntendedEdit(cellType === 'markdown' ? 'cell.md' : 'cell.py', [
        { old_string: oldSource, new_string: newSource },
      ]),
    ),
  extractSearchText: ({ oldSource, newSource }) => `${oldSource}\n${newSource}`,
})

const PAST_TENSE_VERBS = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' } as const

function findInputProblem(
  path: string,
  mode: 'replace' | 'insert' | 'delete' = 'replace',
  cellId: string | undefined,
  cellType: string | undefined,
): string | undefined {
  if (!/\.ipynb$/i.test(path)) return `${path} does not end in .ipynb. Use Edit for other files.`
  if (mode === 'insert') return cellType === undefined ? 'insert needs cell_type: "code" or "markdown".' : undefined
  return cellId === undefined ? `${mode} needs cell_id. Read the notebook to see the ids of its cells.` : undefined
}

/** Creates a random ID like those of Jupyter. */
function createCellId(): string {
  return randomBytes(4).toString('hex')
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
