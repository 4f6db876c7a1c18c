import type { ThinkingConfig } from '../../contract/tool/context.js'

export type AnthropicThinking =
  | { type: 'disabled' }
  | { type: 'between_tools' }
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'adaptive'; display?: 'summarized'; block_binding?: { prefix_mismatch_behavior: 'drop_block' } }

/**
 * The thinking parameters that a model family accepts, as of November 2026. For other models, the requested config is sent
 * unchanged.
 */
interface ThinkingTraits {
  readonly family: RegExp
  readonly mode: 'budget' | 'adaptive'
  /** The value to send for 'disabled'. Omitted if thinking cannot be switched off. */
  readonly off?: 'disabled' | 'between_tools'
  /** Whether thinking is bound to the messages before it and rejected if those changed. */
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
const DEFAULT_BUDGET = 16_000

export interface ThinkingPlan {
  readonly thinking?: AnthropicThinking
  /** Whether thinking of earlier turns is sent. */
  readonly keepThinking: boolean
  readonly beta?: string
}

/** Chooses thinking parameters that the model accepts, as close to the request as possible. */
export function planThinking(
  model: string,
  requested: ThinkingConfig | undefined,
  { maxTokens, betas }: { readonly maxTokens: number; readonly betas: boolean },
): ThinkingPlan {
  const traits = TRAITS.find(({ family }) => family.test(model))
  if (traits === undefined) return planAsRequested(requested, maxTokens)
  if (requested?.type === 'disabled' && traits.off !== undefined) {
    return { thinking: { type: traits.off }, keepThinking: false }
  }
  if (traits.mode === 'budget') return planBudget(requested, maxTokens)
  if (traits.isBound === true && betas) return planBound()
  return requested === undefined || requested.type === 'disabled' ? { keepThinking: true } : planAdaptive()
}

function planAsRequested(requested: ThinkingConfig | undefined, maxTokens: number): ThinkingPlan {
  if (requested === undefined) return { keepThinking: true }
  if (requested.type === 'disabled') return { thinking: { type: 'disabled' }, keepThinking: false }
  return requested.type === 'adaptive'
    ? { thinking: { type: 'adaptive' }, keepThinking: true }
    : planBudget(requested, maxTokens)
}

function planBudget(requested: ThinkingConfig | undefined, maxTokens: number): ThinkingPlan {
  const requestedTokens = requested?.type === 'enabled' ? requested.budgetTokens : DEFAULT_BUDGET
  const tokens = Math.min(Math.max(requestedTokens, MIN_BUDGET), maxTokens - 1)
  if (requested === undefined || tokens < MIN_BUDGET) return { keepThinking: true }
  return { thinking: { type: 'enabled', budget_tokens: tokens }, keepThinking: true }
}

/** Without `display`, newer models return no thinking text at all, not even between calls. */
function planAdaptive(): ThinkingPlan {
  return { thinking: { type: 'adaptive', display: 'summarized' }, keepThinking: true }
}

/**
 * Clearing results, compaction and newly found tools change earlier messages. With these parameters, the API drops thinking
 * that is bound to them instead of rejecting the request.
 */
function planBound(): ThinkingPlan {
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
