import * as z from 'zod'
import { lazySchema } from '../contract/schema.js'
import type { HookFunction } from './hook-config.js'

/** Seconds; a timer of Node can wait no longer, and would fire at once instead. */
const LONGEST_TIMEOUT = 2_147_483

const BASICS = lazySchema(() =>
  z.object({
    if: z.string().optional().describe('Permission rule that the call must fall under, for example Bash(git push:*)'),
    timeout: z.number().positive().max(LONGEST_TIMEOUT).optional().describe('Time limit in seconds; 60 if left out'),
    once: z.boolean().optional().describe('Run no more than once in a session'),
    async: z.boolean().optional().describe('Do not wait for it; its answer decides nothing'),
    statusMessage: z.string().optional().describe('Shown while the hook runs'),
  }),
)

/** The kinds of hooks that a settings file can hold. */
export const jsonHookSchemas = {
  command: lazySchema(() => BASICS.schema.extend({ type: z.literal('command'), command: z.string().min(1) })),
  http: lazySchema(() =>
    BASICS.schema.extend({
      type: z.literal('http'),
      url: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' }),
      headers: z.record(z.string(), z.string()).optional(),
      allowedEnvVars: z.array(z.string()).optional(),
    }),
  ),
  mcp_tool: lazySchema(() =>
    BASICS.schema.extend({
      type: z.literal('mcp_tool'),
      server: z.string().min(1),
      tool: z.string().min(1),
      input: z.record(z.string(), z.json()).optional(),
    }),
  ),
  prompt: lazySchema(() =>
    BASICS.schema.extend({
      type: z.literal('prompt'),
      prompt: z.string().min(1),
      model: z.string().optional(),
    }),
  ),
} as const

const functionHookSchema = lazySchema(() =>
  BASICS.schema.extend({
    type: z.literal('function'),
    name: z.string().optional(),
    run: z.custom<HookFunction>((value) => typeof value === 'function', {
      error: 'must be a function, which only code can give; in a settings file use another kind of hook',
    }),
  }),
)

/** All kinds, with the one that only code can give. */
export const hookSchemas = { ...jsonHookSchemas, function: functionHookSchema } as const

export type HookType = keyof typeof hookSchemas
export type CheckedHook = { [T in HookType]: z.output<(typeof hookSchemas)[T]['schema']> }[HookType]

export const hookGroupSchema = lazySchema(() =>
  z.object({
    matcher: z
      .string()
      .optional()
      .describe('Names joined by |, or a regular expression over the whole name; all if empty'),
    if: z.string().optional().describe('Permission rule that the call must fall under'),
    hooks: z.array(z.unknown()),
  }),
)
