import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { prompt } from './prompt.js'

const MAX_SECONDS = 3_600

export const SleepTool = buildTool({
  name: 'Sleep',
  searchHint: 'wait for some time',
  needs: ['clock'],
  shouldDefer: true,
  description: 'Waits for a while',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      seconds: z.number().positive().max(MAX_SECONDS).describe(`How long to wait, in seconds; at most ${MAX_SECONDS}`),
    }),
  ),
  outputSchema: lazySchema(() => z.object({ waitedMs: z.number(), interrupted: z.boolean() })),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  interruptBehavior: () => 'cancel',
  resources: () => ({}),
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),

  async call({ seconds }, { clock, signal }) {
    const start = clock.now()
    await clock.sleep(seconds * 1000, { signal })
    return { data: { waitedMs: clock.now() - start, interrupted: signal.aborted } }
  },

  mapToolResultToToolResultBlockParam({ waitedMs, interrupted }, toolUseId) {
    const waitText = `Waited ${(waitedMs / 1000).toFixed(1)} s`
    return textResult(toolUseId, interrupted ? `${waitText}, then interrupted.` : `${waitText}.`)
  },

  getActivityDescription: (input) => (input?.seconds === undefined ? 'Waiting' : `Waiting ${input.seconds} s`),
  renderToolUseMessage: ({ seconds }) => (typeof seconds === 'number' ? `${seconds} s` : ''),
  renderToolResultMessage: ({ waitedMs, interrupted }) =>
    `Waited ${Math.round(waitedMs / 1_000)} s${interrupted ? ', then interrupted' : ''}`,
})
