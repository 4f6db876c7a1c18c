import type { ThinkingConfig } from '../../contract/tool/context.js'

export type AnthropicThinking =
  | { type: 'disabled' }
  | { type: 'between_tools' }
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'adaptive'; display?: 'summarized'; block_binding?: { prefix_mismatch_behavior: 'drop_block' } }

/** What a family of models takes, as of November 2026; models that are not listed get what was asked for. */
interface ThinkingTraits {
  readonly family: RegExp
  readonly mode: 'budget' | 'adaptive'
  /** What stands for 'disabled'; left out where thinking cannot be switched off. */
  readonly off?: 'disabled' | 'between_tools'
  /** Thinking is bound to all that came before it, and refused where that changed. */
  readonly isBound?: true
}

const TRAITS: readonly ThinkingTraits[] = [
  { family: /^claude-(fable|mythos)-5-[12]/, mode: 'adaptive', isBound: true },
  { family: /^claude-(fable|mythos)-5/, mode: 'adaptive' },
  { family: /^claude-opus-5-5/, mode: 'adaptive', isBound: true },
  { family: /^claude-sonnet-5-5/, mode: 'adaptive', off: 'between_tools', isBound: true },
  { family: /^claude-haiku-5-5/, mode: 'adaptive', off: 'disabled', isBound: true },
  { family: /^claude-(opus|sonnet)-(5|4-[678])/, mode: 'adaptive', off: 'disabled' },
  { family: /^claude-mythos-preview/, mode: 'adaptive', off: 'disabled' },
  { family: /^claude-(opus|sonnet|haiku)-4-5/, mode: 'budget', off: 'disabled' },
]

const MIN_BUDGET = 1024
const USUAL_BUDGET = 16_000

export interface ThinkingPlan {
  readonly thinking?: AnthropicThinking
  /** Whether thinking of former turns goes along. */
  readonly keepThinking: boolean
  readonly beta?: string
}

/** What to send for thinking, so that the model accepts it. */
export function planThinking(
  model: string,
  wanted: ThinkingConfig | undefined,
  { maxTokens, betas }: { readonly maxTokens: number; readonly betas: boolean },
): ThinkingPlan {
  const traits = TRAITS.find(({ family }) => family.test(model))
  if (traits === undefined) return asWanted(wanted, maxTokens)
  if (wanted?.type === 'disabled' && traits.off !== undefined) {
    return { thinking: { type: traits.off }, keepThinking: false }
  }
  if (traits.mode === 'budget') return budget(wanted, maxTokens)
  if (traits.isBound === true && betas) return bound()
  return wanted === undefined || wanted.type === 'disabled' ? { keepThinking: true } : adaptive()
}

function asWanted(wanted: ThinkingConfig | undefined, maxTokens: number): ThinkingPlan {
  if (wanted === undefined) return { keepThinking: true }
  if (wanted.type === 'disabled') return { thinking: { type: 'disabled' }, keepThinking: false }
  return wanted.type === 'adaptive' ? { thinking: { type: 'adaptive' }, keepThinking: true } : budget(wanted, maxTokens)
}

function budget(wanted: ThinkingConfig | undefined, maxTokens: number): ThinkingPlan {
  const asked = wanted?.type === 'enabled' ? wanted.budgetTokens : USUAL_BUDGET
  const tokens = Math.min(Math.max(asked, MIN_BUDGET), maxTokens - 1)
  if (wanted === undefined || tokens < MIN_BUDGET) return { keepThinking: true }
  return { thinking: { type: 'enabled', budget_tokens: tokens }, keepThinking: true }
}

/** Without `display` newer models show nothing of it, not even what they say between calls. */
function adaptive(): ThinkingPlan {
  return { thinking: { type: 'adaptive', display: 'summarized' }, keepThinking: true }
}

/** Clearing, compaction and discovered tools change what came before: thinking is then dropped, not the request refused. */
function bound(): ThinkingPlan {
  return {
    thinking: {
      type: 'adaptive',
      display: 'summarized',
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    },
    keepThinking: true,
    beta: 'thinking-binding-controls-2026-08-01',
  }
}
