import * as z from 'zod'

/** The default and the maximum time limit of a command. */
export const DEFAULT_TIMEOUT_MS = 120_000
export const MAX_TIMEOUT_MS = 600_000

/** The input of every tool that runs commands. */
export interface CommandInput {
  readonly command: string
  readonly timeout?: number | undefined
  readonly description?: string | undefined
  readonly run_in_background?: boolean | undefined
  readonly dangerouslyDisableSandbox?: boolean | undefined
}

export function createCommandInputSchema() {
  return z.strictObject({
    command: z.string().min(1).describe('The command to run'),
    timeout: z
      .number()
      .positive()
      .optional()
      .describe(`Milliseconds; ${DEFAULT_TIMEOUT_MS} by default, at most ${MAX_TIMEOUT_MS}`),
    description: z.string().optional().describe('What it does, in five to ten words, for the user'),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Returns at once; TaskOutput reads the output, TaskStop ends it'),
    dangerouslyDisableSandbox: z.boolean().optional().describe('Runs it outside the sandbox; the user is asked'),
  })
}
