import type { ThinkingConfig } from '../../contract/tool/context.js'

export type AnthropicThinking =
  | { type: 'disabled' }
  | { type: 'between_tools' }
  | { type: 'enabled'; budget_tokens: number }
  | { type: 'adaptive'; display?: 'summarized'; block_binding?: { prefix_mismatch_behavior: 'drop_block' } }

/** The thinking parameters that a model family accepts. */
interface ThinkingTraits {
  readonly family: RegExp
  readonly mode: 'budget' | 'adaptive'
  /** The value to send for 'disabled'. Omitted if thinking cannot be switched off. */
  readonly off?: 'disabled' | 'between_tools'
  /** Whether thinking is bound to the messages before it and rejected if those changed. */
  readonly isBound?: true
}

/** As of November 2026. Models that are not listed get the requested type; only the budget is limited. */
const THINKING_TRAITS: readonly ThinkingTraits[] = [
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
  readonly keepsThinking: boolean
  readonly beta?: string
}

/** Chooses thinking parameters that the model accepts, as close to the request as possible. */
export function planThinking(
  model: string,
  requestedThinking: ThinkingConfig | undefined,
  { maxTokens, betas }: { readonly maxTokens: number; readonly betas: boolean },
): ThinkingPlan {
  const traits = THINKING_TRAITS.find(({ family }) => family.test(model))
  if (traits === undefined) return planAsRequested(requestedThinking, maxTokens)
  if (requestedThinking?.type === 'disabled' && traits.off !== undefined) {
    return { thinking: { type: traits.off }, keepsThinking: false }
  }
  if (traits.mode === 'budget') return planBudget(requestedThinking, maxTokens)
  if (traits.isBound === true && betas) return planBound()
  return requestedThinking === undefined || requestedThinking.type === 'disabled'
    ? { keepsThinking: true }
    : planAdaptive()
}

function planAsRequested(requestedThinking: ThinkingConfig | undefined, maxTokens: number): ThinkingPlan {
  if (requestedThinking === undefined) return { keepsThinking: true }
  if (requestedThinking.type === 'disabled') return { thinking: { type: 'disabled' }, keepsThinking: false }
  return requestedThinking.type === 'adaptive'
    ? { thinking: { type: 'adaptive' }, keepsThinking: true }
    : planBudget(requestedThinking, maxTokens)
}

function planBudget(requestedThinking: ThinkingConfig | undefined, maxTokens: number): ThinkingPlan {
  const requestedTokens = requestedThinking?.type === 'enabled' ? requestedThinking.budgetTokens : DEFAULT_BUDGET
  const tokens = Math.min(Math.max(requestedTokens, MIN_BUDGET), maxTokens - 1)
  if (requestedThinking === undefined || tokens < MIN_BUDGET) return { keepsThinking: true }
  return { thinking: { type: 'enabled', budget_tokens: tokens }, keepsThinking: true }
}

/** Plans adaptive thinking. Without `display`, newer models return no thinking text at all, not even between calls. */
function planAdaptive(): ThinkingPlan {
  return { thinking: { type: 'adaptive', display: 'summarized' }, keepsThinking: true }
}

/**
 * Plans thinking that is bound to earlier messages. Clearing results, compaction and newly found tools change these messages.
 * With these parameters, the API drops bound thinking instead of rejecting the request.
 */
function planBound(): ThinkingPlan {
  return {
    thinking: {
      type: 'adaptive',
      display: 'summarized',
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    },
    keepsThinking: true,
    beta: 'thinking-binding-controls-2026-08-01',
  }
}
