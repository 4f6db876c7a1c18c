import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import {
  checkPaths,
  getMessageResources,
  MAX_FILES,
  openFilesForUser,
  renderFiles,
} from '../user-messages/files-for-user.js'
import { prompt } from './prompt.js'

const MAX_CAPTION_CHARS = 500

export const SendUserFileTool = buildTool({
  name: 'SendUserFile',
  searchHint: 'send a file to the user',
  needs: ['files'],
  shouldDefer: true,
  userChannel: 'files',
  description: 'Sends files to the user',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      files: z.array(z.string().min(1)).min(1).max(MAX_FILES).describe('Paths of the files'),
      caption: z.string().trim().min(1).max(MAX_CAPTION_CHARS).optional().describe('What the files are'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      caption: z.string().optional(),
      files: z.array(z.object({ path: z.string(), bytes: z.number() })),
    }),
  ),

  isReadOnly: () => true,
  resources: ({ files }) => getMessageResources(files),
  validateInput: ({ files }) => checkPaths(files),
  // The files must be readable: path rules and the mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  toAutoClassifierInput: ({ files }) => files.join('\n'),

  async call({ files: paths, caption }, { files, cwd, signal }) {
    const sentFiles = await openFilesForUser(paths, { files, cwd, signal, withContent: true })
    return {
      data: {
        ...(caption !== undefined && { caption }),
        files: sentFiles.map(({ path, bytes }) => ({ path, bytes })),
      },
      userMessage: { ...(caption !== undefined && { text: caption }), files: sentFiles },
    }
  },

  mapToolResultToToolResultBlockParam: ({ files }, toolUseId) =>
    textResult(toolUseId, `The user got ${formatCounted(files.length, 'file')}.`),

  userFacingName: () => 'Files for you',
  userFacingNameBackgroundColor: () => 'accent',
  getToolUseSummary: (input) => (Array.isArray(input?.files) ? input.files.filter(isText).join(', ') : null),
  getActivityDescription: () => 'Sending files to you',
  renderToolUseMessage: () => '',
  renderToolResultMessage: ({ caption, files }) =>
    block(...(caption === undefined ? [] : [caption]), renderFiles(files)),
  extractSearchText: ({ caption = '', files }) => [caption, ...files.map(({ path }) => path)].join('\n'),
})

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
