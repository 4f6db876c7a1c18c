import * as z from 'zod'

export const DEFAULT_WAIT_MS = 10_000
export const MAX_WAIT_MS = 600_000
const MAX_KEY_CHARS = 10_000

export function createTerminalInputSchema() {
  return z.strictObject({
    action: z
      .enum(['start', 'send', 'read', 'wait', 'close'])
      .describe('Start a program, send keys, read the screen, wait for a text, or close the session'),
    session_id: z.string().optional().describe('The session id returned by start; for every other action'),
    command: z.string().optional().describe('For start: the command line of the program'),
    columns: z
      .number()
      .int()
      .min(20)
      .max(400)
      .optional()
      .describe('For start: the width of the screen; 100 if left out'),
    rows: z.number().int().min(5).max(200).optional().describe('For start: the height of the screen; 30 if left out'),
    keys: z
      .array(z.string().max(MAX_KEY_CHARS))
      .max(200)
      .optional()
      .describe('For send: the text to type, with keys in angle brackets: ["<Escape>", ":wq", "<Enter>"]'),
    text: z.string().optional().describe('For wait: the text to wait for'),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe(`For wait: milliseconds, ${DEFAULT_WAIT_MS} if left out, at most ${MAX_WAIT_MS}`),
  })
}

export type TerminalInput = z.output<ReturnType<typeof createTerminalInputSchema>>
type Field = Exclude<keyof TerminalInput, 'action'>

/** The fields that each action needs and accepts. Every action except `start` also needs `session_id`. */
const FIELDS_BY_ACTION: Readonly<
  Record<TerminalInput['action'], { readonly requiredField: Field; readonly optionalFields: readonly Field[] }>
> = {
  start: { requiredField: 'command', optionalFields: ['columns', 'rows'] },
  send: { requiredField: 'keys', optionalFields: ['session_id'] },
  read: { requiredField: 'session_id', optionalFields: [] },
  wait: { requiredField: 'text', optionalFields: ['session_id', 'timeout'] },
  close: { requiredField: 'session_id', optionalFields: [] },
}

/** Returns the problem of a combination of fields; undefined if it is valid. */
export function findInputProblem(input: TerminalInput): string | undefined {
  const { requiredField, optionalFields } = FIELDS_BY_ACTION[input.action]
  const requiredFields: readonly Field[] =
    input.action === 'start' ? [requiredField] : [...new Set<Field>(['session_id', requiredField])]
  const missingField = requiredFields.find((field) => isEmpty(input[field]))
  if (missingField !== undefined) return `The action "${input.action}" needs ${missingField}.`
  const acceptedFields = new Set<string>(['action', requiredField, ...optionalFields])
  const unexpectedKey = Object.keys(input).find(
    (field) => !acceptedFields.has(field) && input[field as Field] !== undefined,
  )
  if (unexpectedKey !== undefined) return `The action "${input.action}" does not accept ${unexpectedKey}. Leave it out.`
  return input.command?.includes('\0') === true ? 'The command contains a NUL character. Remove it.' : undefined
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}
