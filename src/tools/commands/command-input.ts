import * as z from 'zod'

/** Milliseconds that a command gets where it asks for none, and the most that it gets. */
export const DEFAULT_TIMEOUT_MS = 120_000
export const MAX_TIMEOUT_MS = 600_000

/** What every tool that runs a command takes. */
export interface CommandInput {
  readonly command: string
  readonly timeout?: number | undefined
  readonly description?: string | undefined
  readonly run_in_background?: boolean | undefined
  readonly dangerouslyDisableSandbox?: boolean | undefined
}

export function commandInput() {
  return z.strictObject({
    command: z.string().min(1).describe('The command'),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe(`Time limit in milliseconds; ${DEFAULT_TIMEOUT_MS} if left out, at most ${MAX_TIMEOUT_MS}`),
    description: z.string().optional().describe('What the command does, in five to ten words, for the person watching'),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Starts the command and answers at once; TaskOutput reads what it prints, TaskStop ends it'),
    dangerouslyDisableSandbox: z
      .boolean()
      .optional()
      .describe('Runs the command outside the sandbox, which the user is asked about'),
  })
}
