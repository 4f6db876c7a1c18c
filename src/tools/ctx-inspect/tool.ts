import * as z from 'zod'
import { textResult } from '../../contract/messages.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { prompt } from './prompt.js'

const DEFAULT_STEPS = 30
const MAX_STEPS = 200

const createPartSchema = () => z.object({ name: z.string(), tokens: z.number() })

export const CtxInspectTool = buildTool({
  name: 'CtxInspect',
  searchHint: 'show what fills the context window',
  needs: ['history'],
  shouldDefer: true,
  mainAgentOnly: true,
  description: 'Shows what fills the context window',
  prompt,

  inputSchema: lazySchema(() =>
    z.strictObject({
      max_steps: z
        .number()
        .int()
        .min(1)
        .max(MAX_STEPS)
        .default(DEFAULT_STEPS)
        .describe('How many of the largest steps to list'),
    }),
  ),
  outputSchema: lazySchema(() =>
    z.object({
      parts: z.array(createPartSchema().extend({ details: z.array(createPartSchema()) })),
      tokens: z.number(),
      window: z.number(),
      isCounted: z.boolean(),
      steps: z.array(
        z.object({
          id: z.string(),
          tokens: z.number(),
          tools: z.array(z.string()),
          text: z.string(),
          keptBecause: z.string().optional(),
        }),
      ),
      omittedSteps: z.number(),
      snips: z.array(z.object({ snipId: z.string(), steps: z.number(), tokens: z.number() })),
    }),
  ),

  isReadOnly: () => true,
  checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
  resources: () => ({ reads: [{ thing: 'conversation' }], writes: [] }),

  async call({ max_steps: maxSteps }, { history, signal }) {
    const { parts, steps, snips, ...totals } = await history.inspect({ signal })
    const largest = new Set([...steps].sort((a, b) => b.tokens - a.tokens).slice(0, maxSteps))
    const listedSteps = steps.filter((step) => largest.has(step))
    return {
      data: {
        ...totals,
        parts: parts.map(({ name, tokens, details }) => ({ name, tokens, details: [...details] })),
        steps: listedSteps.map((step) => ({ ...step, tools: [...step.tools] })),
        omittedSteps: steps.length - listedSteps.length,
        snips: [...snips],
      },
    }
  },

  mapToolResultToToolResultBlockParam({ parts, tokens, window, isCounted, steps, omittedSteps, snips }, toolUseId) {
    const method = isCounted ? 'counted by the provider' : 'estimated'
    const lines = [
      `${tokens} of ${window} tokens are used (${method}).`,
      ...parts.flatMap((part) => [
        `${part.name}: ${part.tokens}`,
        ...part.details.slice(0, MAX_DETAILS).map((detail) => `  ${detail.name || 'text'}: ${detail.tokens}`),
      ]),
      ...(steps.length === 0 ? [] : ['', 'Largest steps, oldest first (id, tokens, tools, text):']),
      ...steps.map(formatStep),
      ...(omittedSteps === 0 ? [] : [`${omittedSteps} smaller steps are not listed.`]),
      ...snips.map((snip) => `Removed, can be restored: ${snip.snipId} (${snip.steps} steps, ${snip.tokens} tokens)`),
    ]
    return textResult(toolUseId, lines.join('\n'))
  },

  getActivityDescription: () => 'Measuring the context',
  userFacingName: () => 'Context',
  renderToolUseMessage: () => '',
  renderToolResultMessage: ({ parts, tokens, window }) => ({
    type: 'table',
    columns: ['part', 'tokens', 'of window'],
    rows: [...parts, { name: 'Total', tokens }].map((part) => [
      part.name,
      part.tokens.toLocaleString('en-US'),
      `${((part.tokens / window) * 100).toFixed(1)}%`,
    ]),
  }),
  extractSearchText: ({ parts }) => parts.map(({ name }) => name).join('\n'),
})

const MAX_DETAILS = 10

interface ShownStep {
  readonly id: string
  readonly tokens: number
  readonly tools: readonly string[]
  readonly text: string
  readonly keptBecause?: string | undefined
}

function formatStep({ id, tokens, tools, text, keptBecause }: ShownStep): string {
  const kept = keptBecause === undefined ? '' : ` [stays: ${keptBecause}]`
  return `${id}  ${tokens}  ${tools.join(', ') || '-'}  ${text}${kept}`.trimEnd()
}
