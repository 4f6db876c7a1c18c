import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { block, markdown } from '../../contract/view-builders.js'
import { formatCounted } from '../../shared/counted.js'
import { shortenText } from '../../shared/cut-text.js'
import {
  checkPaths,
  getMessageResources,
  MAX_FILES,
  openFilesForUser,
  renderFiles,
} from '../user-messages/files-for-user.js'
import { prompt } from './prompt.js'

const MAX_MESSAGE_CHARS = 10_000
const MAX_SUMMARY_CHARS = 80

export const BriefTool = buildTool({
  name: 'Brief',
  searchHint: 'send a message to the user',
  needs: ['files'],
  userChannel: 'text',
  modes: { coordinating: true },
  description: 'Sends a message to the user',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      message: z.string().trim().min(1).max(MAX_MESSAGE_CHARS).describe('The message, in Markdown'),
      attachments: z.array(z.string().min(1)).max(MAX_FILES).optional().describe('Paths of files for the user'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({ message: z.string(), files: z.array(z.object({ path: z.string(), bytes: z.number() })) }),
  ),

  isReadOnly: () => true,
  resources: ({ attachments = [] }) => getMessageResources(attachments),
  validateInput: ({ attachments = [] }) => checkPaths(attachments),
  // A message needs no approval. Attached files must be readable: path rules and the mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),

  async call({ message, attachments = [] }, { files, cwd, signal }) {
    const attachedFiles = await openFilesForUser(attachments, { files, cwd, signal, withContent: false })
    return {
      data: { message, files: attachedFiles.map((file) => ({ ...file })) },
      userMessage: { text: message, files: attachedFiles },
    }
  },

  mapToolResultToToolResultBlockParam({ files }, toolUseId) {
    const attached = files.length === 0 ? '' : ` with ${formatCounted(files.length, 'file')}`
    return textResult(toolUseId, `The user got the message${attached}.`)
  },

  userFacingName: () => 'Message',
  userFacingNameBackgroundColor: () => 'accent',
  getToolUseSummary: (input) =>
    typeof input?.message === 'string' ? shortenText(input.message.trim(), MAX_SUMMARY_CHARS) : null,
  getActivityDescription: () => 'Writing to you',
  // The message itself is the result.
  renderToolUseMessage: () => '',
  renderToolUseRejectedMessage: ({ message }) => (typeof message === 'string' ? markdown(message) : ''),
  renderToolResultMessage: ({ message, files }) =>
    block(markdown(message), ...(files.length === 0 ? [] : [renderFiles(files)])),
  extractSearchText: ({ message, files }) => [message, ...files.map(({ path }) => path)].join('\n'),
})
