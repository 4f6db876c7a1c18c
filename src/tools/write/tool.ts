import { resolve } from 'node:path'
import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, text } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { formatChange } from '../editing/change-text.js'
import { formatPath, toValidationResult } from '../editing/edit-input.js'
import { extractPatchText, isPatchLong, renderChange, renderIntendedFile, renderPath } from '../editing/edit-views.js'
import { writeNames } from '../editing/foreign-names.js'
import { prompt } from './prompt.js'

export const WriteTool = buildTool({
  name: 'Write',
  foreignNames: writeNames,
  searchHint: 'create or replace a whole file',
  needs: ['files'],
  modes: { repl: 'hidden' },
  description: 'Writes a whole file',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      file_path: z.string().min(1).describe('Absolute, or relative to the working directory'),
      content: z.string().describe('The complete content of the file'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      filePath: z.string(),
      isNew: z.boolean(),
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
  validateInput: ({ file_path }) => toValidationResult(findPathProblem(file_path)),
  toAutoClassifierInput: ({ file_path, content }) => ({ file_path, content }),

  async call({ file_path, content }, { files, cwd, signal }) {
    const { writeTextFile } = await import('./write-text-file.js')
    const path = resolve(cwd, file_path)
    const { isNew, patch, remarks, differs } = await writeTextFile(files, path, content, signal)
    return { data: { filePath: path, isNew, patch, remarks, differs } }
  },

  mapToolResultToToolResultBlockParam({ filePath, isNew, patch, remarks, differs = false }, toolUseId) {
    const summary = `${isNew ? 'Created' : 'Replaced'} ${filePath}`
    return textResult(toolUseId, formatChange({ summary, patch, remarks, showsLines: differs }))
  },

  getToolUseSummary: (input) => formatPath(input?.file_path),
  getActivityDescription: (input) => `Writing ${formatPath(input?.file_path)}`.trim(),
  renderToolUseMessage: ({ file_path }) => renderPath(file_path),
  renderToolUseTag: ({ content }) =>
    typeof content === 'string' ? text(formatCounted(content.split('\n').length, 'line'), 'muted') : '',
  renderToolUseRejectedMessage: ({ file_path, content }) => renderIntendedFile(file_path, content),
  renderToolResultMessage: (output, _progress, options) =>
    block(text(output.isNew ? 'Created the file' : 'Replaced the file', 'success'), renderChange(output, options)),
  isResultTruncated: ({ patch }) => isPatchLong(patch),
  extractSearchText: ({ patch }) => extractPatchText(patch),
})
