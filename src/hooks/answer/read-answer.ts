import { isRecord } from '../../shared/is-record.js'
import { answersElicitation, decidesPermission, type HookEvent } from '../config/hook-events.js'
import { clipText, type HookAnswer } from './hook-answer.js'
import { mergePermissions, type PermissionOpinion } from './merge-results.js'

/** Reads the JSON answer of a hook. Malformed fields are reported and never allow a call. */
export function readAnswer(
  event: HookEvent,
  json: Readonly<Record<string, unknown>>,
): { readonly answer: HookAnswer; readonly problems: readonly string[] } {
  const problems: string[] = []
  const fields = new AnswerFields(json, problems)
  const specificFields = readSpecificFields(event, fields)
  const stop = readStopReason(fields)
  const request =
    event === 'PermissionRequest' ? specificFields.readNestedFields('decision') : new AnswerFields({}, problems)
  const answer = {
    ...readObjection(event, { fields, specificFields, request, stop }),
    ...createOptionalField('stop', stop),
    ...createOptionalField(
      'updatedInput',
      specificFields.readObject('updatedInput') ?? request.readObject('updatedInput'),
    ),
    ...readOutput(specificFields),
    ...(answersElicitation(event) && readElicitation(specificFields)),
    ...createOptionalField('additionalContext', specificFields.readText('additionalContext')),
    ...createOptionalField('systemMessage', fields.readText('systemMessage')),
    ...createOptionalField('suppressOutput', fields.readFlag('suppressOutput')),
  }
  return { answer, problems }
}

/** Returns the answer for an objection without JSON: exit code 2, or a model that answered no. */
export function toObjection(event: HookEvent, text: string): HookAnswer {
  return decidesPermission(event) ? { permission: { behavior: 'deny', reason: text } } : { blocked: text }
}

function readSpecificFields(event: HookEvent, fields: AnswerFields): AnswerFields {
  const specificFields = fields.readNestedFields('hookSpecificOutput')
  const namedEvent = specificFields.readText('hookEventName')
  if (namedEvent === undefined || namedEvent === event) return specificFields
  const mismatch = `hookSpecificOutput is for ${namedEvent}, not for ${event}`
  if (!decidesPermission(event) || !canObject(specificFields)) {
    fields.addProblem(`${mismatch}, and was ignored.`)
    return new AnswerFields({}, [])
  }
  // A guard must not be ignored because its author misspelt the event.
  const problem = `${mismatch}, so its decision counts as ask.`
  fields.addProblem(problem)
  return new AnswerFields({ permissionDecision: 'ask', permissionDecisionReason: problem }, [])
}

function canObject(specificFields: AnswerFields): boolean {
  return (
    specificFields.hasOtherValue('permissionDecision', ...NON_BLOCKING_DECISIONS) ||
    specificFields.readNestedFields('decision').hasOtherValue('behavior', 'allow')
  )
}

/** The values of `permissionDecision` that do not block a call. */
const NON_BLOCKING_DECISIONS = ['allow', 'defer'] as const

function readStopReason(fields: AnswerFields): string | undefined {
  const reason = fields.readText('stopReason')
  return fields.readFlag('continue') === false
    ? (reason ?? 'A hook stopped the conversation without a reason.')
    : undefined
}

interface AnswerSections {
  readonly fields: AnswerFields
  readonly specificFields: AnswerFields
  /** The answer of a hook that replaces the permission dialog: `decision: { behavior }`. */
  readonly request: AnswerFields
  readonly stop: string | undefined
}

/** Returns the objection in an answer. If the fields of one answer contradict each other, the strictest one counts. */
function readObjection(event: HookEvent, { fields, specificFields, request, stop }: AnswerSections): HookAnswer {
  const isDeciding = decidesPermission(event)
  const consequence = isDeciding ? 'it counts as ask' : undefined
  const decision = fields.readOneOf('decision', ['approve', 'block'], consequence)
  const reason = fields.readText('reason')
  const permissionDecision = specificFields.readOneOf(
    'permissionDecision',
    ['allow', 'deny', 'ask', 'defer'],
    consequence,
  )
  const permissionReason = specificFields.readText('permissionDecisionReason')
  if (!isDeciding) {
    if (permissionDecision !== undefined)
      fields.addProblem(`permissionDecision has no meaning for ${event} and was ignored.`)
    return decision === 'block' ? { blocked: reason ?? 'A hook blocked this without giving a reason.' } : {}
  }
  const behavior = request.readOneOf('behavior', ['allow', 'deny'], consequence)
  const opinions: PermissionOpinion[] = [
    ...(decision === undefined ? [] : [toOpinion(decision === 'block' ? 'deny' : 'allow', reason)]),
    ...(permissionDecision === undefined || permissionDecision === 'defer'
      ? []
      : [toOpinion(permissionDecision, permissionReason ?? reason)]),
    ...(behavior === undefined ? [] : [toOpinion(behavior, request.readText('message'))]),
    ...collectUnknownOpinions({ fields, specificFields, request }),
    // A hook that ends the conversation must not let one more call run.
    ...(stop === undefined ? [] : [toOpinion('deny', stop)]),
  ]
  return createOptionalField('permission', mergePermissions(opinions))
}

/** Returns an ask for each unknown decision, because it may have been an objection. */
function collectUnknownOpinions({
  fields,
  specificFields,
  request,
}: Omit<AnswerSections, 'stop'>): readonly PermissionOpinion[] {
  const unknownFields = [
    ...(fields.hasOtherValue('decision', 'approve', 'block') ? ['decision'] : []),
    ...(specificFields.hasOtherValue('permissionDecision', ...NON_BLOCKING_DECISIONS, 'deny', 'ask')
      ? ['permissionDecision']
      : []),
    ...(request.hasOtherValue('behavior', 'allow', 'deny') ? ['behavior'] : []),
  ]
  return unknownFields.map((name) => toOpinion('ask', `A hook answered with an unknown value of ${name}.`))
}

function toOpinion(behavior: PermissionOpinion['behavior'], reason: string | undefined): PermissionOpinion {
  return { behavior, ...createOptionalField('reason', reason) }
}

function readOutput(specificFields: AnswerFields): Pick<HookAnswer, 'updatedOutput'> {
  const value = specificFields.readValue('updatedToolOutput') ?? specificFields.readValue('updatedMCPToolOutput')
  return value === undefined ? {} : { updatedOutput: { value } }
}

function readElicitation(specificFields: AnswerFields): Pick<HookAnswer, 'elicitation'> {
  const action = specificFields.readOneOf('action', ['accept', 'decline', 'cancel'])
  if (action === undefined) return {}
  const content = action === 'accept' ? specificFields.readObject('content') : undefined
  return { elicitation: action === 'accept' ? { action, ...createOptionalField('content', content) } : { action } }
}

function createOptionalField<const K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: V })
}

/**
 * Reads the fields of an answer. A field of the wrong type is reported and treated as missing. Null is treated as
 * missing without a report, because many languages write it for unset fields.
 */
class AnswerFields {
  readonly #json: Readonly<Record<string, unknown>>
  readonly #problems: string[]

  constructor(json: Readonly<Record<string, unknown>>, problems: string[]) {
    this.#json = json
    this.#problems = problems
  }

  readText(name: string): string | undefined {
    const text = this.#read(name, 'a string', (value) => typeof value === 'string')
    return text === undefined || text === '' ? undefined : clipText(text)
  }

  readFlag(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (value) => typeof value === 'boolean')
  }

  readOneOf<const T extends string>(
    name: string,
    acceptedValues: readonly T[],
    consequence = 'it was ignored',
  ): T | undefined {
    const isAccepted = (value: unknown): value is T => acceptedValues.includes(value as T)
    return this.#read(name, `one of ${acceptedValues.join(', ')}`, isAccepted, consequence)
  }

  /** Whether the field is set to a value other than these. */
  hasOtherValue(name: string, ...acceptedValues: readonly unknown[]): boolean {
    const value = this.#ownValue(name) ?? undefined
    return value !== undefined && !acceptedValues.includes(value)
  }

  readObject(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.#read(name, 'an object', isRecord)
  }

  readNestedFields(name: string): AnswerFields {
    return new AnswerFields(this.readObject(name) ?? {}, this.#problems)
  }

  /** Returns any value except null, which cannot be distinguished from an unset field. */
  readValue(name: string): unknown {
    const value = this.#ownValue(name)
    if (value === null) this.#problems.push(`${name} is null and was ignored.`)
    return value ?? undefined
  }

  addProblem(problem: string): void {
    this.#problems.push(problem)
  }

  #read<T>(
    name: string,
    expected: string,
    isValid: (value: unknown) => value is T,
    consequence = 'it was ignored',
  ): T | undefined {
    const value = this.#ownValue(name)
    if (value === undefined || value === null) return undefined
    if (isValid(value)) return value
    this.#problems.push(`${name} must be ${expected}; ${consequence}.`)
    return undefined
  }

  #ownValue(name: string): unknown {
    return Object.hasOwn(this.#json, name) ? this.#json[name] : undefined
  }
}
