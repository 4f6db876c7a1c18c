import { AnswerFields } from './answer-fields.js'
import type { HookAnswer } from './hook-answer.js'
import { decidesPermission, type HookEvent } from './hook-events.js'
import { mergePermissions, type PermissionOpinion } from './merge-permissions.js'

/** Reads the JSON answer of a hook. What is malformed is reported and ignored, so it can never become an allow. */
export function readAnswer(
  event: HookEvent,
  json: Readonly<Record<string, unknown>>,
): { readonly answer: HookAnswer; readonly problems: readonly string[] } {
  const problems: string[] = []
  const fields = new AnswerFields(json, problems)
  const specific = specificFields(event, fields)
  const stop = readStop(fields)
  const request = event === 'PermissionRequest' ? specific.part('decision') : new AnswerFields({}, problems)
  const answer = {
    ...readObjection(event, { fields, specific, request, stop }),
    ...given('stop', stop),
    ...given('updatedInput', specific.object('updatedInput') ?? request.object('updatedInput')),
    ...readOutput(specific),
    ...given('additionalContext', specific.text('additionalContext')),
    ...given('systemMessage', fields.text('systemMessage')),
    ...given('suppressOutput', fields.flag('suppressOutput')),
  }
  return { answer, problems }
}

/** The answer to an objection that came without JSON: an exit code of 2, or a model's no. */
export function objection(event: HookEvent, text: string): HookAnswer {
  return decidesPermission(event) ? { permission: { behavior: 'deny', reason: text } } : { blocked: text }
}

function specificFields(event: HookEvent, fields: AnswerFields): AnswerFields {
  const specific = fields.part('hookSpecificOutput')
  const meant = specific.text('hookEventName')
  if (meant === undefined || meant === event) return specific
  fields.ignore(`hookSpecificOutput is for ${meant}, not for ${event}, and was ignored.`)
  return new AnswerFields({}, [])
}

function readStop(fields: AnswerFields): string | undefined {
  const reason = fields.text('stopReason')
  return fields.flag('continue') === false ? (reason ?? 'A hook stopped the conversation.') : undefined
}

interface AnswerParts {
  readonly fields: AnswerFields
  readonly specific: AnswerFields
  /** How a hook that stands in for the person answers: `decision: { behavior }`. */
  readonly request: AnswerFields
  readonly stop: string | undefined
}

/** Where the fields of one answer contradict each other, the strictest counts. */
function readObjection(event: HookEvent, { fields, specific, request, stop }: AnswerParts): HookAnswer {
  const decision = fields.oneOf('decision', ['approve', 'block'])
  const reason = fields.text('reason')
  const wanted = specific.oneOf('permissionDecision', ['allow', 'deny', 'ask', 'defer'])
  const wantedReason = specific.text('permissionDecisionReason')
  if (!decidesPermission(event)) {
    if (wanted !== undefined) fields.ignore(`permissionDecision has no meaning for ${event} and was ignored.`)
    return decision === 'block' ? { blocked: reason ?? 'A hook objected without a reason.' } : {}
  }
  const behavior = request.oneOf('behavior', ['allow', 'deny'])
  const opinions: PermissionOpinion[] = [
    ...(decision === undefined ? [] : [opinion(decision === 'block' ? 'deny' : 'allow', reason)]),
    ...(wanted === undefined || wanted === 'defer' ? [] : [opinion(wanted, wantedReason ?? reason)]),
    ...(behavior === undefined ? [] : [opinion(behavior, request.text('message'))]),
    // What is to end the conversation must not let one more call through.
    ...(stop === undefined ? [] : [opinion('deny', stop)]),
  ]
  return given('permission', mergePermissions(opinions))
}

function opinion(behavior: PermissionOpinion['behavior'], reason: string | undefined): PermissionOpinion {
  return { behavior, ...given('reason', reason) }
}

function readOutput(specific: AnswerFields): Pick<HookAnswer, 'updatedOutput'> {
  const value = specific.value('updatedToolOutput') ?? specific.value('updatedMCPToolOutput')
  return value === undefined ? {} : { updatedOutput: { value } }
}

function given<const K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: V })
}
