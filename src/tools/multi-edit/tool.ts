import { resolve } from 'node:path'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { text } from '../../contract/view-builders.js'
import { EDIT_STRATEGIES } from '../../edits/edit-strategies.js'
import type { TextEdit } from '../../edits/plan-edit.js'
import { formatCounted } from '../../shared/counted.js'
import { DEFAULT_PACING } from '../../shared/for-each-in-slices.js'
import { limitItems } from '../../shared/limit-items.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { formatChange } from '../editing/change-text.js'
import { findEditProblem, formatPath, toValidationResult } from '../editing/edit-input.js'
import { extractPatchText, isPatchLong, renderChange, renderIntendedEdit, renderPath } from '../editing/edit-views.js'
import { prompt } from './prompt.js'

/** Far more than a model writes. Checking more edits would block the event loop. */
const MAX_EDITS = 2_000

const editSchema = () =>
  z.strictObject({
    old_string: z.string().describe('The text to replace'),
    new_string: z.string().describe('The replacement text'),
    replace_all: z.boolean().optional().describe('Replace every occurrence'),
  })

export const MultiEditTool = buildTool({
  name: 'MultiEdit',
  searchHint: 'make several edits to one file at once',
  needs: ['files'],
  editFormat: 'strings',
  modes: { repl: 'hidden' },
  description: 'Makes several edits to one file',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      file_path: z.string().min(1).describe('Absolute, or relative to the working directory'),
      edits: z
        .preprocess(limitItems(MAX_EDITS, 'Make several calls.'), z.array(editSchema()).min(1))
        .describe('The edits, in order'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      filePath: z.string(),
      isNew: z.boolean(),
      strategies: z.array(z.enum(EDIT_STRATEGIES)),
      count: z.number(),
      patch: z.string(),
      remarks: z.array(z.string()),
      differs: z.boolean().optional(),
    }),
  ),

  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [{ path: file_path }], writes: [{ path: file_path }] }),
  checkPermissions: () => ({ behavior: 'passthrough' }),
  validateInput: async ({ file_path, edits }) =>
    toValidationResult(findPathProblem(file_path) ?? (await findFirstProblem(edits.map(toTextEdit)))),
  toAutoClassifierInput: ({ file_path, edits }) => ({ file_path, edits }),

  async call({ file_path, edits }, { files, cwd, signal }) {
    const { editTextFile } = await import('../editing/edit-text-file.js')
    const filePath = resolve(cwd, file_path)
    const { strategies, remarks, ...editedFile } = await editTextFile(files, filePath, edits.map(toTextEdit), signal)
    return { data: { filePath, ...editedFile, strategies: [...strategies], remarks: [...remarks] } }
  },

  mapToolResultToToolResultBlockParam({ filePath, isNew, count, patch, remarks, differs = false }, toolUseId) {
    const placesText = `${count} ${count === 1 ? 'place' : 'places'}`
    const summary = isNew ? `Created ${filePath}` : `Changed ${filePath} in ${placesText}`
    return textResult(toolUseId, formatChange({ summary, patch, remarks, showsLines: differs }))
  },

  getToolUseSummary: (input) => formatPath(input?.file_path),
  getActivityDescription: (input) => `Editing ${formatPath(input?.file_path)}`.trim(),
  renderToolUseMessage: ({ file_path }) => renderPath(file_path),
  renderToolUseTag: ({ edits }) => (Array.isArray(edits) ? text(formatCounted(edits.length, 'edit'), 'muted') : ''),
  renderToolUseRejectedMessage: ({ file_path, edits }) =>
    renderIntendedEdit(file_path, Array.isArray(edits) ? edits : []),
  renderToolResultMessage: (output, _progress, options) => renderChange(output, options),
  isResultTruncated: ({ patch }) => isPatchLong(patch),
  extractSearchText: ({ patch }) => extractPatchText(patch),
})

interface EditInput {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean | undefined
}

/** How many edits are checked before other work may run. */
const EDITS_PER_SLICE = 500

function toTextEdit({ old_string, new_string, replace_all = false }: EditInput): TextEdit {
  return { oldString: old_string, newString: new_string, replaceAll: replace_all }
}

async function findFirstProblem(edits: readonly TextEdit[]): Promise<string | undefined> {
  for (const [index, edit] of edits.entries()) {
    if (index % EDITS_PER_SLICE === EDITS_PER_SLICE - 1) await DEFAULT_PACING.pause()
    const problem =
      index > 0 && edit.oldString === ''
        ? 'old_string is empty: only the first edit can create a file.'
        : await findEditProblem(edit)
    if (problem !== undefined) return `Edit ${index + 1}: ${problem}`
  }
  return undefined
}
