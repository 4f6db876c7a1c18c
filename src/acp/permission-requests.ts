import type { PermissionOption, RequestPermissionResponse, ToolCallContent } from '@agentclientprotocol/sdk'
import type { PermissionAnswer, PermissionQuestion } from '../calls/call-environment.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { View } from '../contract/views.js'
import { toPrintable, toPrintableLines } from '../shared/printable.js'
import { renderPlainText } from '../views/plain-text.js'
import { fence } from './view-content.js'

const ALLOW_ONCE = 'allow'
const REJECT = 'reject'

/** A permission update that the user may accept together with the call. */
export interface OfferedUpdate {
  /** The rule, and where it is saved. */
  readonly label: View
  readonly update: PermissionUpdate
}

/** The choices of a permission question, and the translation of the user's choice. */
export interface PermissionChoices {
  readonly options: readonly PermissionOption[]
  toAnswer(response: RequestPermissionResponse): PermissionAnswer
}

/** Creates the choices: once, each rule that could be saved, and no. */
export function createPermissionChoices(
  { tool }: Pick<PermissionQuestion, 'tool'>,
  offers: readonly OfferedUpdate[],
): PermissionChoices {
  const isPlan = tool.submitsPlan === true
  return {
    options: [
      { optionId: ALLOW_ONCE, name: isPlan ? 'Yes' : 'Yes, once', kind: 'allow_once' },
      ...offers.map(
        ({ label }, index): PermissionOption => ({
          optionId: optionIdOf(index),
          name: toPrintable(renderPlainText(label)),
          kind: 'allow_always',
        }),
      ),
      { optionId: REJECT, name: isPlan ? 'No, keep planning' : 'No', kind: 'reject_once' },
    ],
    toAnswer({ outcome }) {
      if (outcome.outcome !== 'selected' || outcome.optionId === REJECT) return { behavior: 'deny' }
      if (outcome.optionId === ALLOW_ONCE) return { behavior: 'allow' }
      const offer = offers.find((_, index) => optionIdOf(index) === outcome.optionId)
      return offer === undefined
        ? { behavior: 'deny', message: `The editor chose the unknown option "${outcome.optionId}".` }
        : { behavior: 'allow', updates: [offer.update] }
    },
  }
}

function optionIdOf(index: number): string {
  return `${ALLOW_ONCE}-${index}`
}

/** Returns what the question is about besides the call itself: who asks, why, and a preview of the change. */
export function explainQuestion(question: PermissionQuestion): readonly ToolCallContent[] {
  const { message, reason, preview, agent, description, isDestructive } = question
  const asker = agent === undefined ? '' : `Agent ${agent.name ?? agent.id}: `
  const why = message.includes(reason.text) ? message : `${message} (${reason.text})`
  const lines = [
    `${asker}${toPrintableLines(why)}`,
    ...(description === undefined ? [] : [toPrintableLines(description)]),
    ...(isDestructive ? ['This call may destroy data.'] : []),
  ]
  const text = lines.join('\n')
  const change = preview === undefined ? '' : fence(toPrintableLines(preview), 'diff')
  return [{ type: 'content', content: { type: 'text', text: `${text}\n${change}`.trim() } }]
}
