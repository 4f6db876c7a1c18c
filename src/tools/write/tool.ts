import { resolve } from 'node:path'
import * as z from 'zod'
import { buildTool } from '../../contract/build-tool.js'
import { ToolCallError } from '../../contract/errors.js'
import { lazySchema } from '../../contract/lazy-schema.js'
import { textResult } from '../../contract/messages.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { pathProblem } from '../../shared/path-problem.js'
import { decodeText } from '../../shared/text-edit/decode-text.js'
import { sameAround } from '../../shared/text-edit/same-around.js'
import { createFile } from '../create-file.js'
import { patchOf, remarksOf } from '../edit-outcome.js'
import { omissionProblem, refusal } from '../edit-problem.js'
import { encoded } from '../encoded.js'
import { changeText, drawnPath } from '../file-call-text.js'
import { openUntouchedFile } from '../open-known-file.js'
import { saveFile } from '../save-file.js'
import { prompt } from './prompt.js'
import { replaceContent } from './replace-content.js'

export const WriteTool = buildTool({
  name: 'Write',
  searchHint: 'create or replace a whole file',
  needs: ['files'],
  description: 'Writes a whole file',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      file_path: z.string().min(1).describe('The file, absolute or from the working folder'),
      content: z.string().describe('All that the file is to hold'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({ filePath: z.string(), isNew: z.boolean(), patch: z.string(), remarks: z.array(z.string()) }),
  ),

  isReadOnly: () => false,
  isConcurrencySafe: () => false,
  getPath: ({ file_path }) => file_path,
  resources: ({ file_path }) => ({ reads: [file_path], writes: [file_path] }),
  checkPermissions: () => ({ behavior: 'passthrough' }),
  validateInput: ({ file_path }) => refusal(pathProblem(file_path)),
  getToolUseSummary: (input) => drawnPath(input?.file_path),
  getActivityDescription: (input) => `Writing ${drawnPath(input?.file_path)}`.trim(),
  toAutoClassifierInput: ({ file_path, content }) => ({ file_path, content }),
  renderToolResultMessage: ({ isNew, filePath, patch }) => (isNew ? `Created ${filePath}` : patch),
  extractSearchText: ({ isNew, filePath, patch }) => (isNew ? `Created ${filePath}` : patch),

  async call({ file_path, content }, { files, cwd, signal }) {
    const path = resolve(cwd, file_path)
    const isNew = (await files.stat(path)) === undefined
    const { patch, remarks } = isNew
      ? await createFile(files, path, content, signal)
      : await replaceFile(files, path, content, signal)
    return { data: { filePath: path, isNew, patch, remarks } }
  },

  mapToolResultToToolResultBlockParam({ filePath, isNew, patch, remarks }, toolUseId) {
    return textResult(toolUseId, changeText(`${isNew ? 'Created' : 'Replaced'} ${filePath}.`, remarks, patch))
  },
})

async function replaceFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  const known = await openUntouchedFile(files, path, signal)
  const before = decodeText(known.content)
  const problem = omissionProblem(before.text, content)
  if (problem !== undefined) throw new ToolCallError('tool_failed', problem)
  const after = encoded(before, [replaceContent(before, content)])
  // All of the file is known from now on, whatever part of it had been read.
  const saved = await saveFile(files, { ...known, content: after.bytes, expected: { content: known.content } }, signal)
  return { patch: patchOf(sameAround(before.text, after.text), before, saved), remarks: [...remarksOf([], saved)] }
}
